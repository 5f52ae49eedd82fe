// Draws blocks of plain data. Text enters by textContent only: nothing here reads HTML. The attributes that take data are
// the keys that keep folds open, the words behind a mark, and the address of a norm, which is encoded behind a fixed path.

// A number never parts from its unit at the end of a line. Only our own words change: what is quoted, the wording, keys and links stay as
// they are.
const tied = (text) =>
  text.replace(/(^|[^\p{L}])(§§?|Abs\.|Art\.|Nr\.|Absatz|Absätze|Artikel|Ziffer|Anlage|Satz|Nummer) (?=\d)/gu, "$1$2\u00a0");

// From the first opening to the last closing quotation mark, so that marks inside a quotation do not end it.
const QUOTED = /(„.*“|“.*”)/su;
const unbroken = (text) => text.split(QUOTED).map((part, index) => (index % 2 ? part : tied(part))).join("");

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = unbroken(text);
  return node;
};

const asWritten = (tag, className, text) => {
  const node = make(tag, className);
  node.textContent = text;
  return node;
};

// A link to the view of a norm, or to the reasons for its place. The rest of the address (question, settings, language) is that of
// the moment.
const norms = (key, why) => {
  const here = new URLSearchParams(window.location.search);
  here.set("n", key);
  return `${why ? "warum" : "norm"}?${here}`;
};

const link = (className, text, key, why) => {
  const node = make("a", className, text);
  node.dataset.norm = key;
  if (why) node.dataset.why = "1";
  node.href = norms(key, why);
  return node;
};

// A line is a text, a text that leads to a norm, or one that stands here as it is written elsewhere.
const line = (content, className) => {
  if (typeof content === "string") return make("span", className, content);
  if (content.written) return asWritten("span", className, content.text);
  if (!content.norm) return make("span", className, content.text);
  const node = make("span", className);
  node.append(link("", content.text, content.norm, content.why));
  return node;
};

const lines = (parent, list, firstClass) => {
  list.filter((content) => content !== "").forEach((content, index) => {
    parent.append(line(content, index && !content.alike ? "under" : firstClass || "main"));
  });
  return parent;
};

// The wording with its marks. What a mark says stands behind it as generated content, so that copied text is the law's alone.
const wording = (text, marks) => {
  const node = make("div", "wording");
  let position = 0;
  marks.forEach((mark) => {
    node.append(text.slice(position, mark.start));
    const words = text.slice(mark.start, mark.end);
    const part = mark.norm ? link(`mark ${mark.style}`, "", mark.norm) : make("span", `mark ${mark.style}`);
    part.textContent = words;
    if (mark.label) part.dataset.label = mark.label;
    part.title = mark.title;
    node.append(part);
    position = mark.end;
  });
  node.append(text.slice(position));
  return node;
};

const fold = (label, children, key, open) => {
  const node = make("details", "fold");
  node.dataset.key = key;
  node.dataset.start = open ? "open" : "closed";
  node.open = open;
  node.append(make("summary", "", label), ...children);
  return node;
};

const drawRow = (cells, block, tone) => {
  const row = make("tr", tone);
  cells.forEach((cell, column) => {
    const node = make(column ? "td" : "th", block.numeric.includes(column) ? "number" : "");
    if (!column) node.scope = "row";
    row.append(lines(node, Array.isArray(cell) ? cell : [cell]));
  });
  return row;
};

const draw = {
  heading: (block) => {
    const node = make("h2", "", block.text.slice(0, block.text.length - block.source.length));
    if (block.source) node.append(block.source);
    if (block.anchor) node.dataset.anchor = block.anchor;
    return node;
  },
  paragraph: (block) => make("p", block.muted ? "muted" : "", block.text),
  statement: (block) => {
    const node = make("div", "statement");
    if (block.above) node.append(make("p", "above", block.above));
    node.append(make("p", "", block.text));
    return node;
  },
  notice: (block, path) => {
    const node = make("section", `notice ${block.role}`);
    node.setAttribute("role", block.role === "note" ? "note" : "status");
    node.append(make("h3", "", block.title), ...block.lines.map((line) => make("p", "", line)));
    if (block.details.length) {
      const list = make("dl", "details");
      block.details.forEach(([name, value]) => list.append(make("dt", "", name), asWritten("dd", "exact", value)));
      node.append(fold(block.label, [list], `${path}-details`, false));
    }
    return node;
  },
  table: (block) => {
    if (!block.rows.length) return make("p", "muted", block.empty);
    const frame = make("div", "scroll");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", block.caption);
    const table = make("table");
    const head = make("tr");
    block.head.forEach((text, column) => {
      const cell = make("th", block.numeric.includes(column) ? "number" : "", text);
      cell.scope = "col";
      head.append(cell);
    });
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    body.append(...block.rows.map((row) => drawRow(row.cells, block, row.tone)));
    table.append(make("caption", "", block.caption), top, body);
    frame.append(table);
    return frame;
  },
  pair: (block) => {
    const node = make("div", "pair");
    block.sides.forEach((side) => {
      const part = make("section", "side");
      const list = make("ol", "ranking");
      side.items.forEach((item) => {
        if (item.rule !== undefined) {
          list.append(make("li", "rule", item.rule));
          return;
        }
        const row = make("li", item.tone);
        const text = make("div", "text");
        lines(text, [item.title, ...item.lines]);
        row.append(make("span", "place", item.place), text);
        list.append(row);
      });
      part.append(make("h3", "", side.title), list);
      if (side.note) part.append(make("p", "muted", side.note));
      node.append(part);
    });
    return node;
  },
  links: (block) => {
    const node = make("nav", "links");
    node.setAttribute("aria-label", block.label);
    block.links.forEach(({ text, norm, why }) => node.append(link("", text, norm, why)));
    return node;
  },
  legend: (block) => {
    const node = make("p", "legend muted", `${block.title} `);
    block.entries.forEach(({ style, words, text }) => {
      const entry = make("span", "entry");
      entry.append(make("span", `mark ${style}`, words), ` ${text}`);
      node.append(entry);
    });
    return node;
  },
  passages: (block) => {
    const list = make("ol", "passages");
    list.setAttribute("aria-label", block.caption);
    block.passages.forEach((passage) => {
      const node = make("li", passage.tone);
      const text = wording(passage.text, passage.marks);
      node.append(passage.label ? fold(passage.label, [text], passage.key, passage.open) : text);
      list.append(node);
    });
    return list;
  },
  folded: (block, path) => fold(block.label, drawAll(block.blocks, `${path}-${block.key}`), block.key, false),
  terms: (block) => {
    const list = make("dl", "terms");
    block.pairs.forEach(([name, text]) => list.append(make("dt", "", name), make("dd", "", text)));
    return list;
  },
  stations: (block) => {
    const list = make("ol", "stations");
    list.setAttribute("aria-label", block.caption);
    block.stations.forEach((station) => {
      const node = make("li", `station ${station.form}`);
      node.append(make("h3", "", station.title), make("p", "state", station.state));
      if (station.mark) node.append(make("p", "decides", station.mark));
      node.append(...station.lines.map((text) => make("p", "", text)));
      list.append(node);
    });
    return list;
  },
  cards: (block, path) => {
    const list = make("ol", "cards");
    list.setAttribute("aria-label", block.caption);
    block.cards.forEach((card) => {
      const node = make("li", "card");
      const head = make("div", "head");
      const title = make("h3", "");
      title.append(card.norm ? link("quiet", card.title, card.norm) : unbroken(card.title));
      head.append(make("span", "place", card.place), title);
      if (card.subtitle) head.append(asWritten("span", "subtitle", card.subtitle));
      const facts = make("p", "facts");
      card.facts.forEach(([name, value]) => {
        const fact = make("span", "fact", `${name} `);
        fact.append(make("b", "", value));
        facts.append(fact);
      });
      facts.append(make("span", "origin", card.origin), ...(card.ways || []).map((way) => line(way)));
      const text = fold(card.textLabel, [wording(card.text, card.marks)], `${card.key}-text`, true);
      const parts = fold(card.partsLabel, drawAll(card.parts, `${path}-${card.key}`), `${card.key}-parts`, false);
      node.append(head, facts, text, ...drawAll(card.more || [], `${path}-${card.key}-more`), parts);
      list.append(node);
    });
    return list;
  },
};

const drawAll = (blocks, path) => blocks.map((block, index) => draw[block.type](block, `${path}-${index}`));

const folds = (root) => [...root.querySelectorAll("details.fold")];

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".blocks");
  // A fold that a reader opened or closed stays so when the run changes.
  const turned = new Map(folds(root).map((node) => [node.dataset.key, node.open]));
  const focused = root.getRootNode().activeElement;
  const focusKey = focused && focused.parentElement ? focused.parentElement.dataset.key : undefined;
  root.lang = data.language;
  const sameMode = root.dataset.mode === data.mode;
  root.dataset.mode = data.mode;
  root.className = `blocks ${data.mode}`;
  root.replaceChildren(...drawAll(data.blocks, ""));
  folds(root).forEach((node) => {
    const text = node.dataset.key.endsWith("-text");
    if (text && data.mode === "dense") node.open = false;
    if (turned.has(node.dataset.key) && (sameMode || !text)) node.open = turned.get(node.dataset.key);
    if (focusKey !== undefined && node.dataset.key === focusKey) node.querySelector("summary").focus({ preventScroll: true });
  });
  // A plain click stays in this session; a new tab takes the address. The address moves on while the page stands.
  const target = (event) => event.target.closest("a[data-norm]");
  const refresh = (event) => {
    const node = target(event);
    if (node) node.href = norms(node.dataset.norm, node.dataset.why);
  };
  root.onpointerover = refresh;
  root.onfocusin = refresh;
  root.onclick = (event) => {
    const node = target(event);
    if (!node || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    setTriggerValue(node.dataset.why ? "why" : "norm", node.dataset.norm);
  };
  // Paper has no folds: everything is open while printing.
  const open = () => folds(root).forEach((node) => {
    node.dataset.before = node.open;
    node.open = true;
  });
  const close = () => folds(root).forEach((node) => {
    node.open = node.dataset.before === "true";
  });
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
  return () => {
    window.removeEventListener("beforeprint", open);
    window.removeEventListener("afterprint", close);
  };
}
