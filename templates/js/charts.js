// Draw the rooflines with Plotly in place of their still pictures. All numbers come from
// the page's figures; this sets colours and waits.
const { about, charts } = JSON.parse(document.getElementById("figures").textContent);

async function inflate(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Blob([await new Response(stream).arrayBuffer()], { type: "text/javascript" });
}

function load(blob) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = URL.createObjectURL(blob);
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });
}

const config = {
  responsive: true,
  displaylogo: false,
  modeBarButtons: [["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
};

function colour(element, name) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

// Both texts are escaped for Plotly already.
function tooltip(lines, tip) {
  const [name, ...rest] = lines.split("\n");
  return [`<b>${name}</b>`, ...rest, tip].join("<br>");
}

function themed(figure, narrow) {
  const root = document.documentElement;
  const [ink, dim, paper] = ["--ink", "--dim", "--paper"].map((name) => colour(root, name));
  const copy = structuredClone(figure);
  for (const trace of copy.data) {
    if (trace.meta.role === "roof") trace.line.color = dim;
    else {
      trace.textfont = { color: ink };
      trace.hovertext = trace.hovertext.map((tip, i) => tooltip(about[trace.customdata[i]], tip));
    }
  }
  copy.layout.font.color = dim;
  copy.layout.modebar = { bgcolor: "rgba(0,0,0,0)", color: dim, activecolor: ink };
  if (narrow) copy.layout.dragmode = false; // so that a finger scrolls
  copy.layout.hoverlabel = { ...copy.layout.hoverlabel, bgcolor: paper, bordercolor: dim, font: { color: ink } };
  for (const note of copy.layout.annotations) note.bgcolor = paper;
  return copy;
}

function draw(plot) {
  const figure = themed(charts[plot.dataset.chart], plot.scrollWidth > plot.clientWidth);
  let live = plot.querySelector(".live");
  if (!live) {
    live = document.createElement("div");
    live.className = "live";
    plot.append(live);
  }
  return Plotly.react(live, figure.data, figure.layout, config).then(() => {
    if (live.dataset.ready) return;
    live.dataset.ready = "yes";
    live.on("plotly_click", (event) => {
      const anchor = event.points[0]?.customdata;
      if (anchor) location.hash = anchor;
    });
  });
}

function drawShown() {
  for (const plot of document.querySelectorAll(".plot")) {
    if (plot.offsetParent !== null) draw(plot);
  }
}

const packed = document.getElementById("plotly");
if (packed && typeof DecompressionStream === "function") {
  inflate(packed.textContent)
    .then(load)
    .then(() => {
      drawShown();
      for (const pick of document.querySelectorAll(".pick input")) pick.addEventListener("change", drawShown);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawShown);
    })
    .catch((error) => console.warn("The still pictures remain:", error));
}
