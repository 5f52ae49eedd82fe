// The parts of the slider in track.js, which is read behind this file: the track in numbers, the nodes, the list. Text enters by textContent
// only: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";
const GLIDE = 160; // ms for which a row glides to its new place

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

const put = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};

const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// --- the track ---------------------------------------------------------------------------------------------------------------

// Where a value stands: 2 i for the point i, 2 i + 1 for the stretch behind it.
const position = (points, value) => {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle] < value) low = middle + 1;
    else high = middle;
  }
  return points[low] === value ? 2 * low : 2 * low - 1;
};

const listOf = (data, place) => (place % 2 ? data.between[(place - 1) / 2] : data.at[place / 2]);

// The interval around a position in which the list is the same; both ends are the point itself where it stands alone.
const stable = (data, place) => {
  const { points, between } = data;
  const i = place >> 1;
  if (place % 2) return [points[i], points[i + 1]];
  const here = data.at[i];
  return [i > 0 && between[i - 1] === here ? points[i - 1] : points[i], i < between.length && between[i] === here ? points[i + 1] : points[i]];
};

const round = (data, value) => Math.min(data.high, Math.max(data.low, Number(value.toFixed(data.most))));

const shown = (data, value) => {
  const short = value.toFixed(data.digits);
  return (Number(short) === value ? short : value.toFixed(data.most)).replace(".", data.words.decimal);
};

const typed = (data, text) => {
  const plain = text.trim().replace(",", ".");
  const value = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain) ? round({ ...data, low: -Infinity, high: Infinity }, Number(plain)) : NaN;
  return value >= data.low && value <= data.high ? value : null;
};

// --- what stands on the page ---------------------------------------------------------------------------------------------------

// All nodes by name. A node's class is its name where no other is given.
const skeleton = (root) => {
  const panel = make("section", "panel");
  const part = { panel };
  const add = (parent, name, tag, className = name) => {
    part[name] = make(tag, className);
    parent.append(part[name]);
    return part[name];
  };
  add(panel, "lead", "p", "muted");
  add(panel, "notice", "p", "notice");
  addControls(add, panel, part);
  add(panel, "summary", "p");
  addLists(add, panel);
  add(panel, "live", "p", "spoken").setAttribute("aria-live", "polite");
  name(part);
  root.replaceChildren(panel);
  return part;
};

const addControls = (add, panel, part) => {
  const head = add(panel, "head", "div");
  add(head, "label", "label");
  const box = add(head, "box", "span");
  add(box, "numberLabel", "label", "muted");
  Object.assign(add(box, "number", "input"), { type: "text", inputMode: "decimal", autocomplete: "off" });
  add(panel, "invalid", "p");
  const bed = add(panel, "bed", "div");
  add(bed, "range", "input").type = "range";
  part.ticks = document.createElementNS(SVG, "svg");
  part.ticks.setAttribute("class", "ticks");
  bed.append(part.ticks);
  const scale = add(bed, "scale", "div");
  add(scale, "bracket", "div");
  add(scale, "force", "div").append(make("span"));
  const ends = add(bed, "ends", "div", "ends muted");
  add(ends, "low", "span");
  add(ends, "high", "span");
  [part.ticks, scale, ends].forEach((node) => node.setAttribute("aria-hidden", "true"));
  add(panel, "stability", "p");
  const jumps = add(panel, "jumps", "div");
  for (const side of ["previous", "next"]) {
    const cell = add(jumps, `${side}Cell`, "div", "jump");
    add(cell, side, "button").type = "button";
    add(cell, `${side}Text`, "p", "muted");
  }
  add(panel, "keys", "p", "keys muted");
};

const addLists = (add, panel) => {
  add(panel, "listTitle", "h3");
  add(panel, "badges", "p", "badges muted");
  add(panel, "list", "ol");
  add(panel, "empty", "p", "muted");
  const gone = add(panel, "gone", "section");
  add(gone, "goneTitle", "h3", "muted");
  add(gone, "goneList", "ul", "list muted");
  const fold = add(panel, "chart", "details");
  add(fold, "chartTitle", "summary", "");
  add(fold, "chartText", "p", "muted");
  const field = add(fold, "field", "div");
  add(field, "bars", "ul");
  // One pair of lines over all bars: a line in each bar would be new style for every bar at every move.
  const lines = add(field, "lines", "div");
  lines.setAttribute("aria-hidden", "true");
  const across = make("div", "across");
  lines.append(make("span"), across);
  add(across, "forceLine", "div");
  add(across, "atLine", "div");
};

// Which words name and describe which control, for readers aloud.
const name = (part) => {
  const id = `track-${Math.random().toString(36).slice(2)}`;
  for (const one of ["range", "number", "invalid", "stability", "listTitle", "goneTitle"]) part[one].id = `${id}-${one}`;
  part.label.htmlFor = part.range.id;
  part.numberLabel.htmlFor = part.number.id;
  part.range.setAttribute("aria-describedby", part.stability.id);
  part.list.setAttribute("aria-labelledby", part.listTitle.id);
  part.goneList.setAttribute("aria-labelledby", part.goneTitle.id);
};

const keyHint = (node, words) => {
  const key = (text) => make("kbd", "", text);
  const pieces = [
    [[key(words.arrows)], words.keys_step],
    [[key(words.page_up), key("]")], words.keys_next],
    [[key(words.page_down), key("[")], words.keys_previous],
    [[key(words.escape)], words.keys_back],
  ];
  node.replaceChildren(`${words.keys} `);
  pieces.forEach(([keys, text]) => {
    const piece = make("span", "piece");
    keys.forEach((one) => piece.append(one, " "));
    piece.append(text);
    node.append(piece);
  });
};

const drawTicks = (svg, data, part) => {
  const most = Math.max(1, ...data.events.map((event) => event.size));
  svg.setAttribute("viewBox", "0 0 1000 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(
    ...data.events.map((event) => {
      const line = document.createElementNS(SVG, "line");
      const x = 1000 * part(event.at);
      const height = 6 + 18 * Math.sqrt(event.size / most);
      Object.entries({ x1: x, x2: x, y1: 0, y2: height }).forEach(([name, value]) => line.setAttribute(name, value));
      return line;
    }),
  );
};

const drawBars = (list, data, part) => {
  list.replaceChildren(
    ...data.hits.map((hit) => {
      const row = make("li");
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 1000 10");
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("aria-hidden", "true");
      hit.spans.forEach(([low, high]) => {
        const bar = document.createElementNS(SVG, "rect");
        const size = { x: 1000 * part(low), y: 1, width: Math.max(1.5, 1000 * (part(high) - part(low))), height: 8 };
        Object.entries(size).forEach(([name, value]) => bar.setAttribute(name, value));
        svg.append(bar);
      });
      const bed = make("div", "bar");
      bed.append(svg);
      row.append(make("span", "name", hit.title), bed, make("span", "badge", hit.badge));
      return row;
    }),
  );
};

// A row of the list: its node, the nodes of its texts, and the way that it glides.
const hitRow = () => {
  const part = { node: make("li"), glide: null };
  const name = make("span", "name");
  for (const text of ["place", "title", "under", "change", "spoken", "badge"]) part[text] = make("span", text);
  name.append(part.title, part.under);
  part.node.append(part.place, name, part.change, part.spoken, part.badge);
  return part;
};

const write = (found, texts) => {
  Object.entries(texts).forEach(([name, text]) => put(found[name], text));
  return found.node;
};

// What became of a hit against its place before (0: none), as it is seen and as it is spoken where that differs.
const change = (words, before, after) => {
  if (before === after) return [words.same, words.same_spoken];
  return [before ? fill(before > after ? words.up : words.down, { place: before }) : words.new, ""];
};

// --- the list ------------------------------------------------------------------------------------------------------------------

// Draws the list and the hits that are no longer in it. A hit keeps its row, so that the row can glide.
const listing = (part) => {
  const rows = new Map();
  const left = new Map();

  const row = (key, among) => {
    if (!among.has(key)) among.set(key, hitRow());
    return among.get(key);
  };

  // Rows glide from where they are seen to where they belong; the order in the document is the new one at once.
  const draw = (data, ids, force) => {
    const seen = still() ? null : tops([...part.list.children]);
    const old = new Map(force.map((hit, place) => [hit, place + 1]));
    const found = ids.map((hit, place) => {
      const { key, title, corpus, badge } = data.hits[hit];
      const [text, spoken] = change(data.words, old.get(hit) || 0, place + 1);
      const one = row(key, rows);
      write(one, { place: String(place + 1), title, under: corpus, change: text, spoken, badge });
      one.node.classList.toggle("moved", text !== data.words.same);
      return one;
    });
    part.list.replaceChildren(...found.map(({ node }) => node));
    part.empty.hidden = ids.length > 0;
    drawGone(data, ids, old);
    if (seen) glide(found, seen);
  };

  const drawGone = (data, ids, old) => {
    const here = new Set(ids);
    const found = [...old.keys()].filter((hit) => !here.has(hit));
    part.gone.hidden = !found.length;
    part.goneList.replaceChildren(
      ...found.map((hit) => {
        const { key, title, corpus, badge } = data.hits[hit];
        return write(row(key, left), { place: "–", title, under: corpus, change: fill(data.words.gone, { place: old.get(hit) }), badge });
      }),
    );
  };

  const tops = (nodes) => {
    const origin = part.list.getBoundingClientRect().top;
    return new Map(nodes.map((node) => [node, node.getBoundingClientRect().top - origin]));
  };

  const glide = (found, seen) => {
    found.forEach((one) => one.glide && one.glide.cancel());
    const now = tops(found.map(({ node }) => node));
    found.forEach((one) => {
      const way = seen.has(one.node) ? seen.get(one.node) - now.get(one.node) : 0;
      const frames = [{ transform: `translateY(${way}px)` }, { transform: "none" }];
      one.glide = Math.abs(way) > 1 ? one.node.animate(frames, { duration: GLIDE, easing: "ease-out" }) : null;
    });
  };

  // Drop the rows of hits that are no more.
  const forget = (hits) => {
    const known = new Set(hits.map((hit) => hit.key));
    for (const among of [rows, left]) [...among.keys()].filter((key) => !known.has(key)).forEach((key) => among.delete(key));
  };

  return { draw, forget };
};
