// Lays a chart library over the page's static pictures: values under the pointer, zoom, hiding of lines.
// Everything else of the page works without this script. Texts come from outside and are never markup:
// they are set as text alone.
"use strict";
(() => {
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const words = json("drivelab-words");
  const FLOOR = 0.5; // the height of "less than one" on a logarithmic axis of counts
  const charts = [];
  window.drivelabCharts = charts;

  const style = getComputedStyle(document.documentElement);
  const variable = (name) => style.getPropertyValue(name).trim();
  const COLOURS = { "op-read": "--read", "op-write": "--write", "op-overlap": "--overlap" };
  const colour = (line) => variable(COLOURS[line.colour] || "--" + line.colour);
  const DASHES = [[], [9, 3], [3, 2], [9, 3, 2, 3], [14, 4], [5, 5]];
  const dash = (line) => line.colour === "op-write" ? [7, 2] : DASHES[Number(line.colour.split("drive-")[1])] || [];
  const seeThrough = (hex, part) => hex + Math.round(part * 255).toString(16).padStart(2, "0");

  // Numbers, as the page prints them.
  const commas = (text) => {
    const [whole, fraction] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return fraction === undefined ? grouped : grouped + "." + fraction;
  };
  const rounded = (value) => {
    const size = Math.abs(value);
    const decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 0.9995 || size === 0 ? 2 : size >= 0.09995 ? 3 : 4;
    return commas(value.toFixed(decimals));
  };
  const short = (value) => commas(String(Number(value.toPrecision(6))));
  const time = (us, print) => us < 0.9995 ? print(us * 1e3) + " ns" : us < 999.5 ? print(us) + " µs"
    : us < 999500 ? print(us / 1e3) + " ms" : print(us / 1e6) + " s";
  const bytes = (value, print) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    const power = Math.max(0, units.findLastIndex((_, n) => value >= 1024 ** n * 0.9995));
    const size = value / 1024 ** power;
    return (Number.isInteger(size) ? short(size) : print(size)) + " " + units[power];
  };
  const print = (axis, value, number) => axis.reading === "bytes" ? bytes(value, number) : axis.reading === "us" ? time(value, number)
    : axis.reading === "ms" ? time(value * 1e3, number)
    : axis.reading === "one-in" ? short(100 - 100 / value) + " %" : axis.reading === "percent" ? number(value) + " %" : number(value);

  // Ticks at 1, 2, 5 times a power of ten; on a logarithmic axis all digits, some with words, or powers of two.
  const niceStep = (least) => {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((digit) => digit * power >= least * (1 - 1e-9));
  };
  const ticks = (axis, low, high, wanted) => {
    const list = [];
    if (!(high > low)) return list;
    if (!axis.log) {
      const step = niceStep((high - low) / wanted);
      for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) list.push({ at: i * step, says: true });
      return list;
    }
    if (axis.log2) {
      const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
      const every = Math.max(1, Math.ceil((last - first + 1) / wanted));
      for (let power = first; power <= last; power++) list.push({ at: 2 ** power, says: power % every === 0 });
      return list;
    }
    const decades = Math.log10(high / low);
    const spoken = decades * 3 <= wanted ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / wanted));
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (let digit = 1; digit <= 9; digit++) {
        const at = digit * 10 ** power;
        if (at >= low * 0.999 && at <= high * 1.001) list.push({ at, says: spoken.includes(digit) && power % every === 0 });
      }
    }
    return list.some((tick) => tick.says) ? list : list.map((tick) => ({ at: tick.at, says: true }));
  };

  // Files that leave the page.
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const saveSvg = (chart) => save(new Blob([chart.picture().text], { type: "image/svg+xml" }), chart.figure.dataset.file + ".svg");
  const drawn = async (address, size) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const { width, height } = size || image;
    const canvas = Object.assign(document.createElement("canvas"), { width: width * 2, height: height * 2 });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };
  const png = (chart) => {
    const { text, width, height } = chart.picture();
    return drawn("data:image/svg+xml;charset=utf-8," + encodeURIComponent(text), { width, height });
  };
  const savePng = async (chart) => save(await png(chart), chart.figure.dataset.file + ".png");
  window.drivelabPng = png;

  // Even positions come as where they begin and their step; a lower edge that is the line itself is left out.
  const whole = (line) => {
    const { from, step, count } = line.x;
    if (count) line.x = Array.from({ length: count }, (_, i) => from + step * i);
    if (line.high && !line.low) line.low = line.y;
  };

  // One chart: the description from Rust, its place in the page, and the library's object.
  class Chart {
    constructor(plot) {
      this.plot = plot;
      this.figure = document.querySelector(`[data-figure="${plot.id}"]`);
      this.place = this.figure.querySelector("[data-plot]");
      this.readout = this.figure.querySelector(".readout");
      this.boxes = [...this.figure.querySelectorAll("[data-line]")];
      this.drives = plot.lines.map((line) => document.getElementById("show-" + line.subject));
      this.tables();
      this.buttons();
      this.draw();
      new ResizeObserver(() => this.resize()).observe(this.place);
    }

    // The library wants one row of positions for all lines: it joins them, and leaves out what is not there.
    tables() {
      this.parts = []; // for each series: which line, and which of its columns
      const tables = this.plot.lines.map((line, n) => {
        const columns = line.low ? ["y", "low", "high"] : ["y"];
        columns.forEach((column) => this.parts.push({ n, column }));
        const values = (column) => line.histogram ? line[column].map((v) => Math.max(v, FLOOR)) : line[column];
        return [line.x, ...columns.map(values)];
      });
      const drawable = (table, n) => table.map((row, i) => i === 0 || !this.of(this.plot.lines[n]).log ? row : row.map((v) => v > 0 ? v : null));
      // What a line has no value for is a gap as wide as the positions of the others in it (2: as far as they go).
      const modes = tables.map((table) => table.map(() => 2));
      this.data = tables.length ? uPlot.join(tables.map(drawable), modes) : [[]];
    }

    // The vertical axis that a line's values are along, and the library's name of its scale.
    of(line) { return line.on_right && this.plot.right ? this.plot.right : this.plot.y; }
    scaleOf(line) { return this.of(line) === this.plot.y ? "y" : "right"; }

    shown(n) { return this.boxes[n].checked && this.drives[n].checked; }

    height() { return this.plot.panel ? 300 : Math.max(280, Math.min(400, this.place.clientWidth * 0.42)); }

    axis(of, side) {
      const narrow = this.place.clientWidth < 600;
      const wanted = side === 2 ? (narrow ? 5 : 10) : this.plot.panel ? 6 : 8;
      const scale = side === 2 ? "x" : side === 1 ? "right" : "y";
      const now = (u) => ticks(of, u.scales[scale].min, u.scales[scale].max, wanted);
      return {
        scale, side, label: of.label, labelSize: 20, size: side === 2 ? 34 : 60, gap: 6, stroke: variable("--soft"),
        font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
        grid: { show: side !== 1, stroke: variable("--faint"), width: 1 }, ticks: { show: false },
        border: { show: true, stroke: variable("--soft"), width: 1 },
        splits: (u) => now(u).map((tick) => tick.at), filter: (u, splits) => splits,
        values: (u) => now(u).map((tick) => !tick.says ? "" : tick.at === 0 && /^[um]s$/.test(of.reading) ? "0" : print(of, tick.at, short)),
      };
    }

    // All of the axis, unless a part was chosen; a panel keeps the axes that it shares with its neighbours.
    scales() {
      const { x, y, right, panel } = this.plot;
      const first = this.data[0][0], last = this.data[0][this.data[0].length - 1];
      const whole = (low, high) => low === first && high === last;
      const rows = (u, low, high) => low == null || panel ? [y.low, y.high]
        : y.log ? [low / 1.25, high * 1.25] : [0, high > 0 ? high * 1.06 : 1];
      return {
        x: { time: false, distr: x.log ? 3 : 1, range: (u, low, high) => low == null || whole(low, high) ? [x.low, x.high] : [low, high] },
        y: { distr: y.log ? 3 : 1, range: rows },
        ...(right ? { right: { distr: right.log ? 3 : 1, range: () => [right.low, right.high] } } : {}),
      };
    }

    series() {
      return [{}, ...this.parts.map(({ n, column }) => {
        const line = this.plot.lines[n], own = colour(line), middle = column === "y";
        const base = { scale: this.scaleOf(line), label: line.name, show: this.shown(n), points: { show: false } };
        // Bars and dots stand for themselves: they are drawn by `apart`.
        if (line.bars || line.dots) return { ...base, stroke: own, paths: () => null };
        if (line.histogram) {
          return { ...base, width: 0, fill: own, fillTo: (u) => u.scales.y.min, paths: uPlot.paths.stepped({ align: 1 }) };
        }
        return { ...base, stroke: middle ? own : "#0000", width: middle ? 1.6 : 0, dash: middle ? dash(line) : [] };
      })];
    }

    bands() {
      const of = (n, column) => 1 + this.parts.findIndex((part) => part.n === n && part.column === column);
      return this.plot.lines.flatMap((line, n) => line.low
        ? [{ series: [of(n, "high"), of(n, "low")], fill: seeThrough(colour(line), line.colour.startsWith("op-") ? 0.4 : 0.18) }] : []);
    }

    draw() {
      if (this.u) this.u.destroy();
      const { x, y, right } = this.plot;
      this.u = new uPlot({
        width: Math.max(this.place.clientWidth, 200), height: this.height(), scales: this.scales(), series: this.series(),
        bands: this.bands(), axes: [this.axis(x, 2), this.axis(y, 3), ...(right ? [this.axis(right, 1)] : [])],
        legend: { show: false }, padding: [12, right ? 0 : 26, 0, 0],
        cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
        hooks: { draw: [(u) => this.apart(u), (u) => this.letters(u), (u) => this.marks(u)], setCursor: [(u) => this.read(u)] },
      }, this.data, this.place);
      this.u.root.setAttribute("aria-hidden", "true");
      this.read(this.u);
    }

    resize() {
      const width = this.place.clientWidth;
      if (width > 0 && Math.abs(width - this.u.width) > 1) this.u.setSize({ width, height: this.height() });
    }

    toggle() {
      this.u.batch(() => this.parts.forEach(({ n }, i) => this.u.setSeries(i + 1, { show: this.shown(n) })));
    }

    // The room of all bars of a position, in pixels: most of the least distance between two positions.
    room(u) {
      const places = [...new Set(this.plot.lines.flatMap((line) => line.x))].sort((a, b) => a - b).map((x) => u.valToPos(x, "x", true));
      const gaps = places.slice(1).map((place, i) => place - places[i]).filter((gap) => gap > 0);
      return 0.8 * Math.min(u.bbox.width / 4, ...gaps);
    }

    // Bars from the floor, every other one hollow, and dots, which are round, square or crosses in turn.
    apart(u) {
      const context = u.ctx, ratio = devicePixelRatio, room = this.room(u);
      const floor = u.bbox.top + u.bbox.height;
      context.save();
      context.beginPath();
      context.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      context.clip();
      this.plot.lines.forEach((line, n) => {
        if (!(line.bars || line.dots) || !this.shown(n)) return;
        context.fillStyle = context.strokeStyle = colour(line);
        context.lineWidth = 1.2 * ratio;
        line.x.forEach((at, i) => {
          if (line.y[i] == null || (this.of(line).log && !(line.y[i] > 0))) return;
          const x = u.valToPos(at, "x", true), y = u.valToPos(line.y[i], this.scaleOf(line), true);
          if (line.bars) {
            const [place, of] = line.bars, wide = room / of;
            const box = [x - room / 2 + wide * place, y, Math.max(wide - ratio, 1), floor - y];
            context.globalAlpha = place % 2 ? 0.25 : 1;
            context.fillRect(...box);
            context.globalAlpha = 1;
            if (place % 2) context.strokeRect(...box);
            return;
          }
          const half = 1.7 * ratio;
          if (n % 3 === 2) {
            context.fillRect(x - half, y - half / 3, 2 * half, half / 1.5);
            context.fillRect(x - half / 3, y - half, half / 1.5, 2 * half);
          } else if (n % 3 === 1) context.fillRect(x - half, y - half, 2 * half, 2 * half);
          else { context.beginPath(); context.arc(x, y, half, 0, 7); context.fill(); }
        });
      });
      context.restore();
    }

    // A line's letter at its last point in view.
    letters(u) {
      const context = u.ctx, ratio = devicePixelRatio;
      context.save();
      context.textAlign = "left";
      context.textBaseline = "middle";
      context.font = `bold ${12 * ratio}px system-ui, sans-serif`;
      const ends = this.plot.lines.flatMap((line, n) => {
        if (!line.letter || line.bars || line.dots || !this.shown(n)) return [];
        let last = line.x.length - 1;
        while (last >= 0 && (line.y[last] == null || line.x[last] > u.scales.x.max)) last--;
        if (last < 0 || line.x[last] < u.scales.x.min) return [];
        return [{ line, x: u.valToPos(line.x[last], "x", true), y: u.valToPos(line.y[last], this.scaleOf(line), true) }];
      }).sort((a, b) => a.y - b.y);
      // As the static picture has them: none over another, down from the highest and up again from the floor.
      const room = 12 * ratio;
      const push = (sign, first) => ends.forEach((end, n) => {
        const near = ends.slice(0, n).filter((other) => Math.abs(other.x - end.x) < room);
        end.y = sign * Math.max(sign * end.y, first, ...near.map((other) => sign * other.y + room));
      });
      push(1, -Infinity);
      ends.reverse();
      push(-1, -(u.bbox.top + u.bbox.height));
      for (const { line, x, y } of ends) {
        context.fillStyle = colour(line);
        context.fillText(line.letter, x + 5 * ratio, y);
      }
      context.restore();
    }

    marks(u) {
      const context = u.ctx, ratio = devicePixelRatio, half = 4.5 * ratio;
      context.save();
      context.strokeStyle = variable("--mark");
      context.lineWidth = 1.5 * ratio;
      for (const mark of this.plot.marks) {
        if (mark.x < u.scales.x.min || mark.x > u.scales.x.max) continue;
        const x = u.valToPos(mark.x, "x", true), y = u.valToPos(mark.y, "y", true);
        context.beginPath();
        context.moveTo(x, y - half); context.lineTo(x + half, y); context.lineTo(x, y + half); context.lineTo(x - half, y);
        context.closePath();
        context.stroke();
      }
      context.restore();
    }

    // What stands below the picture: the values at the pointer.
    read(u) {
      const { left, top } = u.cursor;
      const say = (...parts) => this.readout.replaceChildren(...parts);
      const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
      if (left == null || left < 0) return say(element("span", words["chart-hint"]));
      const at = u.posToVal(left, "x");
      const spans = [element("span", this.plot.x.label + " " + print(this.plot.x, at, rounded))];
      this.plot.lines.forEach((line, n) => {
        if (!this.shown(n)) return;
        const i = this.nearest(line, at);
        if (i < 0) return;
        const span = element("span", line.name + " "), along = this.of(line);
        span.append(element("b", line.y[i] == null ? "–" : print(along, line.y[i], line.histogram ? short : rounded)));
        if (line.low && line.low[i] != null) span.append(` (${print(along, line.low[i], rounded)}–${print(along, line.high[i], rounded)})`);
        if (line.gb) span.append(` @ ${rounded(at * line.gb)} GB`);
        spans.push(span);
      });
      const near = this.plot.marks.find((mark) =>
        Math.hypot(u.valToPos(mark.x, "x") - left, u.valToPos(mark.y, "y") - top) < 9);
      if (near) spans.push(element("b", near.label));
      say(...spans);
    }

    // A histogram's bucket begins at its edge; any other line has its nearest point.
    nearest(line, at) {
      let low = 0, high = line.x.length;
      while (low < high) { const middle = (low + high) >> 1; if (line.x[middle] <= at) low = middle + 1; else high = middle; }
      const before = low - 1;
      if (line.histogram) return before;
      return before < 0 ? 0 : low < line.x.length && line.x[low] - at < at - line.x[before] ? low : before;
    }

    zoom(factor) {
      const { min, max } = this.u.scales.x;
      if (factor === 0) return this.u.setScale("x", { min: this.data[0][0], max: this.data[0][this.data[0].length - 1] });
      const log = this.plot.x.log, to = log ? Math.log10 : Number, from = log ? (v) => 10 ** v : Number;
      const middle = (to(min) + to(max)) / 2, half = (to(max) - to(min)) / 2 * factor;
      const low = Math.max(from(middle - half), this.plot.x.low), high = Math.min(from(middle + half), this.plot.x.high);
      this.u.setScale("x", { min: low, max: high });
    }

    buttons() {
      const row = document.createElement("div");
      row.className = "zoom";
      for (const [key, sign, factor] of [["zoom-in", "+", 0.5], ["zoom-out", "−", 2], ["zoom-reset", "↔", 0]]) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = sign;
        button.title = words[key];
        button.setAttribute("aria-label", words[key] + ": " + this.plot.title);
        button.addEventListener("click", () => this.zoom(factor));
        row.append(button);
      }
      const files = document.createElement("div");
      files.className = "save";
      for (const [kind, save] of [["SVG", saveSvg], ["PNG", savePng]]) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "save-" + kind.toLowerCase();
        button.textContent = kind;
        button.title = words["save-as"] + " " + kind;
        button.setAttribute("aria-label", button.title + ": " + this.plot.title);
        button.addEventListener("click", () => save(this));
        files.append(button);
      }
      const tools = document.createElement("div");
      tools.className = "tools";
      tools.append(row, files);
      this.figure.querySelector(".legend").before(tools);
    }

    // The static picture as a file of its own: its heading in view, its own style, without what is hidden.
    picture() {
      const svg = this.figure.querySelector("svg.plot").cloneNode(true);
      const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
      const head = Number(svg.dataset.head);
      svg.setAttribute("width", width);
      svg.setAttribute("height", height + head);
      svg.setAttribute("viewBox", `0 ${-head} ${width} ${height + head}`);
      this.plot.lines.forEach((_, n) => { if (!this.shown(n)) svg.querySelectorAll(".c" + n).forEach((line) => line.remove()); });
      const style = document.createElementNS(svg.namespaceURI, "style");
      style.textContent = words["plot-style"];
      svg.prepend(style);
      return { text: new XMLSerializer().serializeToString(svg), width, height: height + head };
    }
  }

  document.documentElement.classList.add("live");
  for (const plot of json("drivelab-plots")) {
    plot.lines.forEach(whole);
    charts.push(new Chart(plot));
  }
  document.addEventListener("change", (event) => {
    if (event.target.type === "checkbox") charts.forEach((chart) => chart.toggle());
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((chart) => chart.draw()));

  // All figures, a row for each, in the columns of `drivelab report --csv`. A text that a spreadsheet would take for a
  // formula has an apostrophe before it.
  const figuresCsv = ({ conditions, results }) => {
    const field = (value) => {
      let text = value == null ? "" : String(value);
      if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const columns = ["result", "method", "method_version", "target", "title", "kind", "key", "value", "unit", "better",
      "statistic", "n", "interval_low", "interval_high", "interval_confidence_percent", "span", "data", "alignment", "state",
      "scale", "stands_beside_published", "why_not"];
    const row = (result, figure) => {
      const by = conditions[figure.conditions], { low, high, confidence_percent: sure } = figure.interval || {};
      return [result.id, result.method, result.method_version, result.target.name, result.target.title, result.target.kind,
        figure.key, figure.value, figure.unit, figure.better, figure.statistic, figure.n, low, high, sure, by.span, by.data,
        by.alignment, by.state, by.scale, result.stands_beside_published, figure.why_not];
    };
    const rows = results.flatMap((result) => result.figures.map((figure) => row(result, figure)));
    return [columns, ...rows].map((cells) => cells.map(field).join(",") + "\n").join("");
  };
  window.drivelabFigures = () => figuresCsv(json("drivelab-data"));
  document.getElementById("figures-csv").addEventListener("click", () => {
    save(new Blob([window.drivelabFigures()], { type: "text/csv;charset=utf-8" }), "figures.csv");
  });
  // A picture that only leaves the page: its SVG is the link before the button.
  document.querySelectorAll(".picture-png").forEach((button) => button.addEventListener("click", async () => {
    const link = button.previousElementSibling;
    save(await drawn(link.href), link.download.replace(/svg$/, "png"));
  }));
  document.getElementById("download").addEventListener("click", () => {
    const report = { ...json("drivelab-data"), pictures: charts.map((chart) => chart.plot) };
    save(new Blob([JSON.stringify(report)], { type: "application/json" }), "drivelab-report.json");
  });
})();
