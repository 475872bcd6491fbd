// The scoreboard explorer. Plain JavaScript: the data is window.MR_SCOREBOARD, written by the build beside this file,
// so that the page works from a file, without a server and without a network.
//
// Address: #ID opens a cell, a claim or an erratum; #?paper=chen2012&status=open sets filters.
(function () {
  "use strict";

  const data = window.MR_SCOREBOARD;
  const root = document.getElementById("explorer");
  if (!root) return;
  if (!data) {
    root.textContent = "The data of the scoreboard is missing beside this page (_static/scoreboard-data.js).";
    return;
  }

  // ------------------------------------------------------------------------------------------------ what is shown

  const NOT_JUDGED = "not judged";
  const statusOf = (cell) => cell.status || (cell.metric === "average_rank" ? "rank" : NOT_JUDGED);
  const difference = (cell) => (cell.ours === null || cell.printed === null ? null : cell.ours - cell.printed);

  const VERDICT_WORDS = {
    exact: "Our mean, rounded to the printed number of decimals, is the printed mean.",
    match: "The means differ by no more than the tolerance.",
    better: "Our number is better than the printed one by more than the tolerance. This is not a replication.",
    worse: "Our number is worse than the printed one by more than the tolerance.",
    "not comparable": "Seconds of other hardware are not comparable. The order of the methods is judged instead.",
    "no data": "The data set is not available.",
    pending: "This cell has not been computed yet.",
    holds: "Every part of the claim holds in our rows.",
    "holds in part": "Some parts of the claim hold in our rows, others do not.",
    fails: "No part of the claim holds in our rows.",
    "cannot be tested": "The committed rows do not suffice to judge this claim.",
  };
  const STATUS_WORDS = {
    replicated: "replicated",
    demonstrated: "demonstrated: a committed variant gives the print",
    open: "open: neither replicated nor explained by a committed variant",
    rank: "a rank follows from the cells of its table and is not counted with them",
    [NOT_JUDGED]: "not judged",
  };
  const FLAG_WORDS = {
    "constant answer": "95 % of the predictions or more are one class",
    "chance level": "no better than always answering the larger class",
    "graph off": "the chosen weight leaves the predictions of the supervised machine",
    unstable: "our standard deviation is more than twice the printed one",
    "edge of grid": "a chosen parameter is at the end of its grid",
    "read from print": "a convention was chosen by comparing with printed numbers",
    reduced: "fewer draws, a thinner grid or fewer points than in the paper",
  };

  const VIEWS = {
    cells: {
      title: "Printed cells",
      rows: data.cells,
      columns: [
        ["Paper", (c) => c.paper],
        ["Table", (c) => c.table],
        ["Data set", (c) => c.dataset],
        ["Method", (c) => c.method],
        ["Printed", (c) => c.printed, (c) => spreadApart(c.printed, c.printed_std, c.decimals)],
        ["Ours", (c) => c.ours, (c) => spreadApart(c.ours, c.ours_std, c.decimals)],
        ["Difference", difference, signed],
        ["Verdict", (c) => c.verdict, (c) => pill(c.verdict)],
        ["Status", statusOf, (c) => pill(statusOf(c))],
        ["Flags", (c) => c.flags.join(", ")],
      ],
      numeric: new Set(["Printed", "Ours", "Difference"]),
      filters: {
        paper: ["Paper", (c) => [c.paper]],
        table: ["Table", (c) => [c.table]],
        dataset: ["Data set", (c) => [c.dataset]],
        method: ["Method", (c) => [c.method]],
        metric: ["Measure", (c) => [c.metric], (name) => data.metrics[name] || name],
        verdict: ["Verdict", (c) => [c.verdict]],
        status: ["Status", (c) => [statusOf(c)]],
        flag: ["Flag", (c) => (c.flags.length ? c.flags : ["no flag"])],
      },
      text: (c) => [c.paper, "table " + c.table, c.dataset, c.method, c.setting, c.verdict, statusOf(c),
        c.flags.join(" "), c.id],
      more: (c) => c.note,
      name: (c) => `${c.method} on ${c.dataset}, ${c.paper} Table ${c.table}`,
      details: cellDetails,
    },
    claims: {
      title: "Claims",
      rows: data.claims,
      columns: [
        ["Paper", (c) => c.paper],
        ["Section", (c) => c.section],
        ["Claim", (c) => c.claim],
        ["Verdict", (c) => c.verdict, (c) => pill(c.verdict)],
        ["What we find", (c) => c.text],
      ],
      numeric: new Set(),
      filters: {
        paper: ["Paper", (c) => [c.paper]],
        verdict: ["Verdict", (c) => [c.verdict]],
      },
      text: (c) => [c.id, c.paper, c.section, c.claim, c.verdict, c.text],
      more: (c) => [c.note, ...c.artifacts].join(" "),
      name: (c) => `claim ${c.id}`,
      details: claimDetails,
    },
    errata: {
      title: "Errata",
      rows: data.errata,
      columns: [
        ["Paper", (e) => e.paper],
        ["Where", (e) => e.where],
        ["Printed", (e) => e.printed],
        ["Correct", (e) => e.correct],
      ],
      numeric: new Set(),
      filters: { paper: ["Paper", (e) => [e.paper]] },
      text: (e) => Object.values(e),
      more: () => "",
      name: (e) => `erratum ${e.id}`,
      details: erratumDetails,
    },
  };

  // ------------------------------------------------------------------------------------------------ small helpers

  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== "") node.append(child);
    }
    return node;
  }

  const kind = (word) => "ex-" + word.replace(/[^a-z]+/gi, "-").toLowerCase();
  const column = (title) => kind("column " + title);
  const pill = (word) => element("span", { class: `ex-pill ${kind(word)}` }, word);

  function number(value, decimals) {
    if (value === null) return "–";
    return value !== 0 && Math.abs(value) < 0.5 * 10 ** -decimals ? value.toPrecision(2) : value.toFixed(decimals);
  }
  function withSpread(mean, spread, decimals) {
    return number(mean, decimals) + (spread === null || mean === null ? "" : " ± " + number(spread, decimals));
  }
  // The same for a column: a narrow screen leaves the deviation out, so that both means and the verdict fit.
  function spreadApart(mean, spread, decimals) {
    const whole = withSpread(mean, spread, decimals), alone = number(mean, decimals);
    return element("span", {}, alone, element("span", { class: "ex-spread" }, whole.slice(alone.length)));
  }
  // Less than half of the last printed digit is no difference that a reader can use.
  function signed(cell) {
    const value = difference(cell);
    if (value === null) return "–";
    if (cell.verdict === "exact") return (0).toFixed(cell.decimals);
    return (value > 0 ? "+" : "") + number(value, cell.decimals);
  }

  const source = (path) => element("a", { href: `source/${path}.html` }, element("code", {}, path));
  const apiPage = (name) => element("a", { href: `api/generated/mr.${name}.html` }, element("code", {}, "mr." + name));

  function list(pairs) {
    const node = element("dl", { class: "ex-facts" });
    for (const [term, value] of pairs) {
      if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)) continue;
      node.append(element("dt", {}, term), element("dd", {}, value));
    }
    return node;
  }

  function block(title, ...children) {
    return element("section", { class: "ex-block" }, element("h3", {}, title), ...children);
  }

  function joined(nodes, glue = ", ") {
    return nodes.flatMap((node, i) => (i ? [glue, node] : [node]));
  }

  function parameters(values) {
    const names = Object.keys(values);
    if (!names.length) return "";
    return joined(names.map((name) => element("code", {}, `${name} = ${JSON.stringify(values[name])}`)));
  }

  function commandLine(command) {
    const said = element("span", { class: "ex-said", role: "status" });
    const copy = element("button", { type: "button", class: "ex-small", onclick: async () => {
      try {
        await navigator.clipboard.writeText(command);
        said.textContent = "copied";
      } catch {
        // no clipboard from a file in some browsers: select the text instead
        const range = document.createRange();
        range.selectNodeContents(code);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        said.textContent = "selected";
      }
    } }, "Copy");
    const code = element("code", { class: "ex-command" }, command);
    return element("div", { class: "ex-rerun" }, code, copy, said);
  }

  // ------------------------------------------------------------------------------------------------ details of a row

  // Printed mean with one standard deviation, our mean and our single draws, on one axis. The numbers are in the text.
  function picture(cell) {
    if (cell.ours === null || cell.printed === null) return "";
    const spread = cell.printed_std || 0, ours = cell.draws.length ? 0 : cell.ours_std || 0;
    const ends = [cell.printed - spread, cell.printed + spread, cell.ours - ours, cell.ours + ours, ...cell.draws];
    const low = Math.min(...ends), high = Math.max(...ends), pad = 0.06 * (high - low || Math.abs(high) || 1);
    const at = (value) => 62 + (236 * (value - low + pad)) / (high - low + 2 * pad);
    const draw = (tag, attributes, text) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      node.textContent = text || "";
      svg.append(node);
    };
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of [["viewBox", "0 0 310 92"], ["class", "ex-picture"], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
    const bar = (mean, std, y) => { if (std) draw("line", { x1: at(mean - std), x2: at(mean + std), y1: y, y2: y }); };
    draw("text", { x: 0, y: 20 }, "printed");
    draw("text", { x: 0, y: 44 }, "ours");
    bar(cell.printed, cell.printed_std, 16);
    bar(cell.ours, ours, 40);
    for (const value of cell.draws) draw("circle", { cx: at(value), cy: 40, r: 3, class: "ex-draw" });
    draw("circle", { cx: at(cell.printed), cy: 16, r: 5, class: "ex-printed" });
    draw("circle", { cx: at(cell.ours), cy: 40, r: 5, class: "ex-ours" });
    draw("line", { x1: 62, x2: 298, y1: 58, y2: 58, class: "ex-axis" });
    for (const value of low === high ? [low] : [low, high]) {
      draw("line", { x1: at(value), x2: at(value), y1: 58, y2: 63, class: "ex-axis" });
      draw("text", { x: at(value), y: 75, "text-anchor": value === low ? "start" : "end" }, number(value, cell.decimals));
    }
    draw("text", { x: 180, y: 89, "text-anchor": "middle" }, data.metrics[cell.metric] || cell.metric);
    return element("div", { class: "ex-figure" }, svg, element("p", { class: "ex-faint" }, cell.draws.length > 1
      ? "Large circles: means. Small circles: our single draws. Bar: the printed standard deviation."
      : "Circles: means. Bars: one standard deviation."));
  }

  function cellDetails(cell) {
    const artifact = data.artifacts[cell.artifact], from = cell.provenance;
    const facts = list([
      ["Printed", `${withSpread(cell.printed, cell.printed_std, cell.decimals)} (${data.metrics[cell.metric] || cell.metric})`],
      ["Ours", cell.ours === null ? "no result" : withSpread(cell.ours, cell.ours_std, cell.decimals + 1) +
        (cell.n_runs ? `, mean and standard deviation over ${cell.n_runs} draw${cell.n_runs > 1 ? "s" : ""}` : "")],
      ["Single draws", cell.draws.length > 1 && cell.draws.length <= 20
        ? cell.draws.map((value) => number(value, cell.decimals)).join(", ") : ""],
      ["Setting", cell.setting],
      ["Verdict", [pill(cell.verdict), " " + (VERDICT_WORDS[cell.verdict] || "")]],
      ["Status", STATUS_WORDS[statusOf(cell)]],
      ["Flags", cell.flags.map((flag) => element("div", {}, element("b", {}, flag), ": " + (FLAG_WORDS[flag] || "")
        + (cell.raised[flag] ? ` (${cell.raised[flag]})` : "")))],
      ["Significance star", cell.stars[0] && cell.stars[1] ? `printed ${cell.stars[0]}, ours ${cell.stars[1]}` : ""],
      ["Chosen parameters", parameters(cell.parameters)],
      [["open", "demonstrated"].includes(cell.status) ? "Why it differs" : "Note", cell.note],
    ]);
    return [
      block("The number", element("div", { class: "ex-pair" }, facts, picture(cell))),
      cell.variants.length ? block("Variants", variants(cell)) : "",
      block("Where it comes from", artifact.due ? element("p", { class: "ex-due" }, artifact.due) : "", provenance(from, artifact)),
      claimsAbout(cell),
      block("Read on", links(cell, artifact, from)),
      block("Run it again", commandLine(artifact.command), element("p", {},
        "Run the command in a clone of the repository. It computes the whole ", /_fig/.test(cell.artifact) ? "figure" : "table",
        " on the real data and compares it with the committed rows. It changes no committed file. ",
        minutes(artifact))),
    ];
  }

  // Claims that are judged from the same table or figure; those that name the data set or the method come first.
  function claimsAbout(cell) {
    const about = (claim) => ["dataset", "method"].filter((name) => `${claim.claim} ${claim.text}`.includes(cell[name])).length;
    const found = data.claims.filter((claim) => claim.artifacts.includes(cell.artifact)).sort((a, b) => about(b) - about(a));
    if (!found.length) return "";
    return block("Claims judged from these results", element("ul", { class: "ex-claims" }, found.map((claim) =>
      element("li", {}, element("a", { href: "#" + claim.id }, claim.claim), " ", pill(claim.verdict)))));
  }

  function variants(cell) {
    const head = ["Convention", "Mean", "Draws", "Verdict against the print", "Parameters"];
    const body = cell.variants.map((v) => element("tr", { class: v.explains ? "ex-explains" : "" },
      element("th", { scope: "row" }, v.explains ? "Explains the print: " : "", v.setting || v.artifact,
        v.artifact === cell.artifact ? "" : element("div", { class: "ex-faint" }, v.artifact)),
      element("td", {}, withSpread(v.mean, v.std, cell.decimals)), element("td", {}, String(v.n_runs)),
      element("td", {}, pill(v.verdict)), element("td", {}, parameters(v.parameters))));
    return [
      element("p", {}, cell.status === "demonstrated"
        ? `This cell is demonstrated by a committed variant. Reason: ${cell.reason || "it replicates most of its column"}.`
        : cell.variant ? "A note names a variant, but it does not demonstrate this cell by the rule of the scoreboard."
          : "Committed rows by other conventions. One match is not an explanation: with enough variants, some row comes close to any number."),
      element("p", {}, `Conventions tried for this column: ${cell.variants_tried}.`),
      element("div", { class: "ex-scroll", role: "region", tabindex: "0", "aria-label": "Variants" },
        element("table", { class: "ex-inner" },
          element("thead", {}, element("tr", {}, head.map((name) => element("th", { scope: "col" }, name)))),
          element("tbody", {}, body))),
    ];
  }

  function provenance(from, artifact) {
    const codes = (values) => joined((values || []).map((value) => element("code", {}, value)));
    return list([
      ["Data", from.data.map((set) => element("div", {}, set.name + (set.shape ? ` (${set.shape.join(" × ")})` : "") +
        (set.sha256 ? `, sha256 of ${set.of === "content" ? "its content" : "the file"}: ` : `: ${set.of}`),
        set.sha256 ? element("code", { class: "ex-hash" }, set.sha256) : ""))],
      ["Tasks", from.tasks ? `${from.tasks} committed record${from.tasks > 1 ? "s" : ""} in ${artifact.rows}` : ""],
      ["Code fingerprint", codes(from.code)],
      ["Commit", codes(from.commit)],
      ["Environment", from.environment.join("; ")],
      ["Lock file", from.lock.length ? ["requirements.txt, sha256 begins with ", ...codes(from.lock)] : ""],
      ["Day", from.date.join(", ")],
      ["Last recheck", artifact.recheck ? [`${artifact.recheck.date}: ${artifact.recheck.n_tasks} tasks run again by code `,
        element("code", {}, artifact.recheck.code), " and accepted"] : ""],
      ["Results", element("code", {}, artifact.results)],
    ]);
  }

  function links(cell, artifact, from) {
    const files = from.class ? data.classes[from.class] : [];
    return list([
      ["Notebook", artifact.section ? element("a", { href: artifact.section }, "the section on this result") : ""],
      ["Protocol", source(artifact.protocol)],
      ["Estimator", from.class ? [apiPage(from.class), " in ", source(files[0])] : ""],
      ["Solver", joined(files.slice(1).map(source))],
      ["Link to this cell", element("a", { href: "#" + cell.id }, element("code", {}, "#" + cell.id))],
    ]);
  }

  function claimDetails(claim) {
    const due = claim.artifacts.filter((name) => data.artifacts[name].due);
    return [
      block("The judgement", list([
        ["Claim", claim.claim],
        ["Verdict", [pill(claim.verdict), " " + (VERDICT_WORDS[claim.verdict] || "")]],
        [claim.verdict === "cannot be tested" ? "Rows so far" : "What we find", claim.text],
        ["Note", claim.note],
        ["Judged by", claim.test ? source(claim.test.split(":")[0]) : ""],
        ["Test", claim.test ? element("code", {}, claim.test.split(": ")[1]) : ""],
        ["Link to this claim", element("a", { href: "#" + claim.id }, element("code", {}, "#" + claim.id))],
      ]), due.length ? element("p", { class: "ex-due" }, `${due.join(", ")}: ${data.artifacts[due[0]].due}`) : ""),
      ...claim.artifacts.map((name) => block(name, list([
        ["Notebook", data.artifacts[name].section ? element("a", { href: data.artifacts[name].section }, "the section on this result") : ""],
        ["Printed cells", cellsBehind(claim, name)],
        ["Protocol", source(data.artifacts[name].protocol)],
        ["Run it again", [commandLine(data.artifacts[name].command), minutes(data.artifacts[name])]],
      ]))),
    ];
  }

  const minutes = (artifact) => (artifact.minutes ? `The committed rows took ${artifact.minutes} processor minutes.` : "");

  // The cells of a claim's table: all of them, and those of each data set that the claim, its result or its note names.
  function cellsBehind(claim, artifact) {
    const cells = data.cells.filter((cell) => cell.artifact === artifact);
    if (!cells.length) return "";
    const { paper, table } = cells[0], said = `${claim.claim} ${claim.text} ${claim.note}`;
    const link = (chosen, words) => element("a", { href: "#?" + new URLSearchParams({ paper, table, ...chosen }) }, words);
    const sets = [...new Set(cells.map((cell) => cell.dataset))].filter((name) => said.includes(name));
    return joined([link({}, `all ${cells.length}`), ...sets.map((dataset) => link({ dataset }, `on ${dataset}`))]);
  }

  function erratumDetails(erratum) {
    return [block("The erratum", list([
      ["Printed", erratum.printed], ["Correct", erratum.correct], ["Evidence", erratum.evidence], ["Note", erratum.note],
    ]))];
  }

  // ------------------------------------------------------------------------------------------------ the page

  const state = { view: "cells", query: "", chosen: {}, sort: null, descending: false };
  const rowsOf = {}; // view -> Map(item -> {row, opener, details})
  const parts = {};

  function build() {
    parts.query = element("input", { type: "search", id: "ex-query", placeholder: "FACEMIT LapESVR", autocomplete: "off",
      oninput: () => { state.query = parts.query.value; update(); } });
    parts.tabs = element("div", { class: "ex-tabs", role: "tablist", "aria-label": "What to show" });
    parts.filters = element("div", { class: "ex-selects" });
    parts.count = element("p", { class: "ex-count", role: "status", "aria-live": "polite" });
    parts.panel = element("div", { id: "ex-panel", class: "ex-scroll", role: "tabpanel", tabindex: "0" });
    const reset = element("button", { type: "button", id: "ex-reset", onclick: () => {
      state.query = parts.query.value = "";
      state.chosen = {};
      show(state.view);
      remember();
    } }, "Clear all");
    root.replaceChildren(
      element("form", { role: "search", class: "ex-form", onsubmit: (event) => event.preventDefault() },
        element("label", { class: "ex-search", for: "ex-query" }, "Search", parts.query), parts.filters, reset),
      parts.tabs, parts.count, parts.panel);
    for (const name of Object.keys(VIEWS)) {
      parts.tabs.append(element("button", { type: "button", role: "tab", id: "ex-tab-" + name, "aria-controls": "ex-panel",
        onclick: () => { show(name); remember(); }, onkeydown: moveTab }));
    }
  }

  function moveTab(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...parts.tabs.children], next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }

  function table(name) {
    const view = VIEWS[name];
    const heads = view.columns.map(([title]) => element("th", { scope: "col", "aria-sort": "none",
      class: column(title) + (view.numeric.has(title) ? " ex-number" : "") },
      element("button", { type: "button", class: "ex-sort", onclick: () => sortBy(title) }, title,
        element("span", { class: "ex-arrow", "aria-hidden": "true" }))));
    const made = { heads, body: element("tbody"), items: new Map() };
    made.node = element("table", { class: "ex-table", id: "ex-table-" + name },
      element("caption", { class: "ex-caption" }, view.title + ". A row opens to its details."),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, element("span", { class: "ex-hidden" }, "Details")), heads)),
      made.body);
    for (const item of view.rows) {
      const opener = element("button", { type: "button", class: "ex-opener", "aria-expanded": "false",
        "aria-label": "Details of " + view.name(item) }, element("span", { "aria-hidden": "true" }, "▸"));
      const cells = view.columns.map(([title, value, shown]) =>
        element("td", { class: column(title) + (view.numeric.has(title) ? " ex-number" : "") }, (shown || value)(item)));
      const row = element("tr", { id: item.id }, element("td", {}, opener), cells);
      row.addEventListener("click", (event) => { if (!event.target.closest("a") && !String(getSelection())) toggle(item); });
      made.items.set(item, { row, opener, details: null });
    }
    return made;
  }

  function toggle(item, open) {
    const entry = rowsOf[state.view].items.get(item);
    const wanted = open === undefined ? entry.opener.getAttribute("aria-expanded") !== "true" : open;
    entry.opener.setAttribute("aria-expanded", String(wanted));
    if (wanted && !entry.details) {
      const width = VIEWS[state.view].columns.length + 1;
      entry.details = element("tr", { class: "ex-details", id: "details-" + item.id },
        element("td", { colspan: width }, element("div", { class: "ex-card" }, VIEWS[state.view].details(item))));
      entry.opener.setAttribute("aria-controls", entry.details.id);
    }
    if (wanted) entry.row.after(entry.details);
    else if (entry.details) entry.details.remove();
    if (open === undefined) history.replaceState(null, "", hashOfFilters(wanted ? item.id : ""));
  }

  function sortBy(title) {
    state.descending = state.sort === title ? !state.descending : false;
    state.sort = title;
    update();
  }

  // Roman and Arabic numbers of tables, then letters and digits as people order them.
  const collator = new Intl.Collator("en", { numeric: true });
  function ordered(items) {
    const sorted = VIEWS[state.view].columns.find(([title]) => title === state.sort);
    if (!sorted) return [...items.filter(named), ...items.filter((item) => !named(item))];
    const value = sorted[1], sign = state.descending ? -1 : 1;
    return [...items].sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === null || y === null) return (x === null) - (y === null); // what is missing comes last, both ways
      return sign * (typeof x === "number" ? x - y : collator.compare(x, y));
    });
  }

  // A row fits when it has every word of the search. Rows that have them in their note alone come last.
  for (const view of Object.values(VIEWS)) {
    view.short = new Map(view.rows.map((item) => [item, view.text(item).join(" ").toLowerCase()]));
    view.long = new Map(view.rows.map((item) => [item, view.short.get(item) + " " + view.more(item).toLowerCase()]));
  }
  const has = (text) => state.query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  const named = (item) => has(VIEWS[state.view].short.get(item));

  function kept(item, except) {
    const view = VIEWS[state.view];
    return has(view.long.get(item)) && Object.entries(view.filters).every(
      ([name, [, values]]) => name === except || !state.chosen[name] || values(item).includes(state.chosen[name]));
  }

  // The filters that have a meaning in a view: "worse" is a verdict on cells, not on claims.
  function carried(view) {
    return Object.fromEntries(Object.entries(state.chosen).filter(([key, value]) =>
      view.filters[key] && view.rows.some((item) => view.filters[key][1](item).includes(value))));
  }

  function show(name) {
    state.view = name;
    state.sort = null;
    rowsOf[name] = rowsOf[name] || table(name);
    const view = VIEWS[name];
    state.chosen = carried(view);
    parts.filters.replaceChildren(...Object.entries(view.filters).map(([key, [title]]) =>
      element("label", {}, title, element("select", { id: "ex-" + key, onchange: (event) => {
        state.chosen[key] = event.target.value;
        update();
        remember();
      } }))));
    for (const tab of parts.tabs.children) {
      const selected = tab.id === "ex-tab-" + name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
    parts.panel.setAttribute("aria-labelledby", "ex-tab-" + name);
    parts.panel.replaceChildren(rowsOf[name].node);
    update();
  }

  // Every list offers what the other filters leave, with counts.
  function offer(view) {
    for (const [key, [, values, words]] of Object.entries(view.filters)) {
      const counts = new Map();
      for (const item of view.rows) {
        if (kept(item, key)) for (const value of values(item)) counts.set(value, (counts.get(value) || 0) + 1);
      }
      const chosen = state.chosen[key] || "", select = document.getElementById("ex-" + key);
      if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
      const names = [...counts.keys()].sort(collator.compare);
      select.replaceChildren(element("option", { value: "" }, "all"), ...names.map((value) =>
        element("option", { value, selected: value === chosen }, `${words ? words(value) : value} (${counts.get(value)})`)));
      select.value = chosen;
    }
  }

  function update() {
    const view = VIEWS[state.view], mine = rowsOf[state.view];
    offer(view);
    const items = ordered(view.rows.filter((item) => kept(item)));
    const fragment = document.createDocumentFragment();
    for (const item of items) {
      const { row, opener, details } = mine.items.get(item);
      fragment.append(row);
      if (opener.getAttribute("aria-expanded") === "true") fragment.append(details);
    }
    mine.body.replaceChildren(fragment);
    mine.heads.forEach((head, i) => {
      const sorted = VIEWS[state.view].columns[i][0] === state.sort;
      head.setAttribute("aria-sort", sorted ? (state.descending ? "descending" : "ascending") : "none");
    });
    for (const tab of parts.tabs.children) {
      const name = tab.id.replace("ex-tab-", ""), there = VIEWS[name], chosen = carried(there);
      const found = there.rows.filter((item) => has(there.long.get(item)) && Object.entries(chosen).every(
        ([key, value]) => there.filters[key][1](item).includes(value))).length;
      tab.textContent = `${VIEWS[name].title} (${found})`;
    }
    parts.count.replaceChildren(...summary(items, view));
  }

  function summary(items, view) {
    const by = new Map();
    const word = state.view === "cells" ? statusOf : (item) => item.verdict;
    for (const item of items) if (word(item)) by.set(word(item), (by.get(word(item)) || 0) + 1);
    const pills = [...by].sort((a, b) => b[1] - a[1]).map(([name, n]) => [" ", element("span", { class: `ex-pill ${kind(name)}` }, `${n} ${name}`)]);
    return [`${items.length} of ${view.rows.length} shown. `, ...pills.flat()];
  }

  // ------------------------------------------------------------------------------------------------ the address

  function hashOfFilters(open = "") {
    const set = new URLSearchParams(Object.entries(state.chosen).filter(([, value]) => value));
    if (state.query) set.set("q", state.query);
    if (open && !String(set)) return "#" + open;
    if (state.view !== "cells") set.set("view", state.view);
    if (open) set.set("open", open);
    return String(set) ? "#?" + set : location.pathname + location.search;
  }
  const remember = () => history.replaceState(null, "", hashOfFilters());

  function follow() {
    const hash = decodeURIComponent(location.hash.slice(1));
    if (hash.startsWith("?")) {
      const set = new URLSearchParams(hash.slice(1));
      state.query = parts.query.value = set.get("q") || "";
      state.chosen = Object.fromEntries([...set].filter(([name]) => !["q", "view", "open"].includes(name)));
      show(VIEWS[set.get("view")] ? set.get("view") : "cells");
      const opened = VIEWS[state.view].rows.find((item) => item.id === set.get("open"));
      if (opened && kept(opened)) reveal(opened);
      return;
    }
    for (const [name, view] of Object.entries(VIEWS)) {
      const item = hash && view.rows.find((candidate) => candidate.id === hash);
      if (!item) continue;
      state.query = parts.query.value = "";
      state.chosen = {};
      show(name);
      reveal(item);
      return;
    }
    if (!rowsOf[state.view]) show(state.view);
  }

  function reveal(item) {
    toggle(item, true);
    const { row, opener } = rowsOf[state.view].items.get(item);
    row.scrollIntoView({ block: "start" });
    opener.focus({ preventScroll: true });
  }

  build();
  follow();
  window.addEventListener("hashchange", follow);
  document.documentElement.dataset.ready = "explorer"; // the tests wait for this
})();
