"""What `ncu-triage --help` says around the options."""

HELP = """Say what limits each kernel of a profile, by which numbers, and what to fix first.

\b
Examples:
  ncu-triage report.ncu-rep                     a summary, here
  ncu-triage report.ncu-rep -o diag.html        a page to read and to attach
  ncu-triage report.ncu-rep -o diag.html --static
                                                the same without script, for mail
  ncu-triage report.ncu-rep -o diag.md --picture roofline.svg
                                                a ticket with its picture
  ncu-triage report.ncu-rep -o diag.csv -o diag.json
                                                numbers for scripts, from one reading
  ncu-triage report.ncu-rep --kernel transpose  one kernel with all its findings
  ncu-triage *.ncu-rep --top 20 --sort median   the slowest kernels of several reports
  ncu-triage report.ncu-rep -o diag.html --operators ops.yaml
                                                each operator against its theory
  ncu-triage report.ncu-rep --timeline run.sqlite
                                                with the gaps, ranked by real time
  ncu-triage report.ncu-rep -o diag.html --anonymise
                                                a page to show to others
"""

EPILOG = """\b
Exit codes:
  0  fine
  1  a condition of --fail-on failed
  2  wrong usage
  3  an input could not be read or held nothing to judge, or --timeline is not comparable
  4  a bug

\b
Other commands, each with its own --help:
  ncu-triage compare, scan, trend, rules, explain, operators, calibrate
"""
