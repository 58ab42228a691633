// Sort and filter the kernel table by what its cells carry.
function cellValue(row, column, kind) {
  const cell = row.cells[column];
  if (kind === "text") return cell.textContent.trim().toLowerCase();
  const value = Number.parseFloat(cell.dataset.v ?? cell.style.getPropertyValue("--v"));
  return Number.isNaN(value) ? null : value;
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortBy(table, header, button) {
  const kind = header.dataset.sort;
  const before = header.getAttribute("aria-sort");
  const up = before ? before === "descending" : kind === "text";
  const rows = [...table.tBodies[0].rows].map((row) => [cellValue(row, header.cellIndex, kind), row]);
  rows.sort(([a], [b]) => (a === null || b === null || up ? compare(a, b) : compare(b, a)));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", up ? "ascending" : "descending");
  table.tBodies[0].append(...rows.map(([, row]) => row));
  button.focus();
}

function makeSortable(table) {
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortBy(table, header, button));
  }
}

// The full name stands once, in the kernel's card.
function fullName(link) {
  return document.querySelector(`${link.getAttribute("href")} > .full code`)?.textContent ?? "";
}

function rowText(row) {
  const head = row.cells[0];
  row.text ??= `${head.textContent} ${fullName(head.querySelector("a"))}`.toLowerCase();
  return row.text;
}

document.addEventListener("pointerover", (event) => {
  const link = event.target.closest?.("a.name");
  if (link && !link.title) link.title = fullName(link);
});

function applyFilter(form, table) {
  const name = form.elements.name.value.trim().toLowerCase();
  const kind = form.elements.kind.value;
  const rule = form.elements.rule.value;
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const fits = rowText(row).includes(name) && (!kind || row.dataset.kind === kind) && (!rule || row.dataset.rules.split(" ").includes(rule));
    row.hidden = !fits;
    shown += fits;
  }
  const all = table.tBodies[0].rows.length;
  form.elements.count.value = shown === all ? "" : `${shown} of ${all} kernels`;
}

const table = document.getElementById("kernel-table");
const form = document.getElementById("filter");
if (table) {
  makeSortable(table);
  form.addEventListener("input", () => applyFilter(form, table));
  form.addEventListener("submit", (event) => event.preventDefault());
}
