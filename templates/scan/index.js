// Sort and filter the reports by what their rows carry.
const table = document.getElementById("reports");
const form = document.getElementById("filter");

function valueOf(row, column, kind) {
  const cell = row.cells[column];
  if (kind === "text") return cell.textContent.trim().toLowerCase();
  return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortBy(header, button) {
  const kind = header.dataset.sort;
  const before = header.getAttribute("aria-sort");
  const up = before ? before === "descending" : kind === "text";
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, header.cellIndex, kind), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return up ? compare(a, b) : compare(b, a);
  });
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", up ? "ascending" : "descending");
  table.tBodies[0].append(...rows.map(([, row]) => row));
  button.focus();
}

function applyFilter() {
  const name = form.elements.name.value.trim().toLowerCase();
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const picked = ["kind", "gpu", "rule"].every((key) => {
      const wanted = form.elements[key].value;
      return !wanted || row.dataset[key] === wanted;
    });
    row.hidden = !picked || !row.cells[0].textContent.toLowerCase().includes(name);
    shown += !row.hidden;
  }
  const all = table.tBodies[0].rows.length;
  form.elements.count.value = shown === all ? "" : `${shown} of ${all} reports`;
}

if (table) {
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortBy(header, button));
  }
  form.addEventListener("input", applyFilter);
  form.addEventListener("submit", (event) => event.preventDefault());
}
