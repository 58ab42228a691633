
// Load the copy of Plotly that all pages of a scan share; without it the pictures stay.
const beside = document.createElement("script");
beside.src = "PLOTLY";
beside.onload = () => {
  drawShown();
  for (const pick of document.querySelectorAll(".pick input")) pick.addEventListener("change", drawShown);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawShown);
};
document.head.append(beside);
