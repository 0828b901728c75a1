// node explorers.mjs EXPLORER FOLDER [RECORDS]: the module inside FOLDER/EXPLORER.html
// against what an H200 measured (simulator/tests/golden), against definitions, and, of
// tiles, against the chapters' own lines, which clang judges, and RECORDS of their
// runs; and the still table of the page against the module. 200 settings each.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [name, folder, records] = process.argv.slice(2);
let seed = 1, wrong = 0, compared = 0;
const random = n => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0, Math.floor(seed / 2 ** 32 * n));
const any = list => list[random(list.length)];
const range = n => [...Array(n).keys()];
const expect = (ok, text) => (compared++, ok || wrong++ > 9 || console.log(`${name}: ${text}`));
const same = (setting, got, wanted) =>
  expect(String(got) === String(wanted), `${setting}: the page says ${String(got).slice(0, 80)}, not ${String(wanted).slice(0, 80)}`);

const page = readFileSync(join(folder, name + ".html"), "utf8");
const module = Buffer.from(page.match(/explorer\(`\s*([^`]+?)\s*`/)[1], "base64");
const wasm = (await WebAssembly.instantiate(module)).instance.exports;
/** The first words of the result for a setting. */
const explore = (setting, n) => [...new Uint32Array(wasm.memory.buffer, wasm.explore(...setting), n)];
/** A setting in words: bytes=4&pitch=32 */
const parse = text => Object.fromEntries([...new URLSearchParams(text.replaceAll("&amp;", "&"))].map(([k, v]) => [k, +v]));

/** The rows of a table of measurements, by the names of the columns. */
function golden(file) {
  const [head, ...rows] = readFileSync(`simulator/tests/golden/${file}.csv`, "utf8").trim().split("\n").map(line => line.split(","));
  return rows.map(cells => Object.fromEntries(head.map((column, i) => [column, cells[i]])));
}

/* ---- coalescing ---------------------------------------------------------- */

/** A row whose active lanes lie evenly, and near: as a setting. The page's array begins at address 0. */
function evenly({ bytes, byte_offsets }) {
  const at = byte_offsets.split(" ").map(offset => offset / bytes), active = range(32).filter(lane => at[lane] >= 0);
  const [a, b] = active, pitch = (at[b] - at[a]) / (b - a), offset = at[a] - a * pitch;
  const even = pitch >= 0 && offset >= 0 && active.every(lane => at[lane] === offset + lane * pitch && at[lane] < 2 ** 20);
  return even && [+bytes, pitch, offset, active.reduce((mask, lane) => mask + 2 ** lane, 0)];
}

function coalescing() {
  for (let i = 0; i < 200; i++) {
    const bytes = any([4, 8, 16]), pitch = i % 2 ? random(4201) : random(66), offset = random(128), mask = i % 4 ? 2 ** 32 - 1 : 1 + random(2 ** 32 - 1);
    const sectors = range(32).filter(lane => mask >>> lane & 1).map(lane => Math.floor((offset + lane * pitch) * bytes / 32));
    same([bytes, pitch, offset, mask], explore([bytes, pitch, offset, mask], 1), new Set(sectors).size);
  }
  const rows = golden("global_wavefronts").map(row => [evenly(row), row]).filter(([setting]) => setting);
  for (const [setting, row] of rows) {
    const [, tags, data] = explore(setting, 3);
    same(setting, tags, row["load_hit tag_wavefronts"] || row["load tag_wavefronts"] || tags);
    same(setting, data, row["load_hit data_wavefronts"] || data);
  }
  expect(rows.length > 100, `only ${rows.length} measured rows`);
  for (const row of golden("global_load_cycles"))
    for (const bytes of [4, 8, 16]) {
      const cycles = range(8).reduce((sum, k) => sum + explore([bytes, row.pitch, k, 2 ** 32 - 1], 4)[3] / 8, 0), measured = row[`${bytes} bytes`];
      expect(Math.abs(cycles / measured - 1) <= 0.05, `${bytes} bytes, pitch ${row.pitch}: ${cycles} cycles, ${measured} measured`);
    }
}

/* ---- banks --------------------------------------------------------------- */

/** The largest power of two that divides n, at most most. */
const power = (n, most) => Math.min(n & -n, most);

/** Wavefronts, the least of them, those of each group: words of one bank are read one after the other. */
function cost(store, width, at) {
  let lanes = 128 / width; // of a group
  const paired = distance => range(32).every(lane => at[lane] === at[lane ^ distance]);
  if (!store && width > 4 && (paired(1) || paired(2))) lanes *= 2;
  const taken = range(32 / lanes).map(group => {
    const words = new Set(at.slice(group * lanes, (group + 1) * lanes).flatMap(word => range(width / 4).map(i => word + i)));
    return Math.max(...range(32).map(bank => [...words].filter(word => word % 32 === bank).length));
  });
  return [taken.reduce((a, b) => a + b), taken.length, ...taken];
}

function banks() {
  const shown = setting => {
    const [wavefronts, least, , , , ...taken] = explore(setting, 9);
    return [wavefronts, least, ...taken.slice(0, least)];
  };
  for (let i = 0; i < 200; i++) {
    const rows = any([1, 2, 4, 8, 16, 32]), width = any([4, 8, 16]), stride = random(4) ? any([8, 16, 20, 32, 36, 64, 128]) : random(129);
    const apart = 4 * stride >= 32 / rows * width; // else stores would meet
    const store = apart ? random(2) : 0, pad = random(2) ? random(33) : 0, swizzle = random(2), words = width / 4;
    const columns = Math.ceil((stride + pad) / words), exchange = swizzle && columns ? power(columns, 32 / words) : 1;
    const at = range(32).map(lane => {
      const row = Math.floor(lane / (32 / rows)), column = lane % (32 / rows) ^ row % exchange;
      return (row * columns + column) * words;
    });
    const setting = [store, width, rows, stride, pad, swizzle];
    same(setting, shown(setting), cost(store, width, at));
  }
}

/* ---- fragments ----------------------------------------------------------- */

/** The elements of a layout: row, column, lane, slot, place in memory of each. */
function fragment(setting) {
  const [elements] = explore(setting, 1), lists = explore(setting, 14 + 5 * 16384).slice(14);
  return range(elements).map(i => range(5).map(list => lists[16384 * list + i]));
}

/** The same by the tables of the PTX manual (mma.m16n8k16, ldmatrix, wgmma), and as tensor_05 stores tiles. */
function by_the_manual([what, length, pad, swizzle, n, k]) {
  const lanes = (count, each, place) => range(count * each).map(i => {
    const lane = Math.floor(i / each), e = i % each, [row, column, at] = place(lane >> 2 & 7, 2 * (lane & 3) + (e & 1), e, lane >> 5);
    return [row, column, lane, e, at ?? 0];
  });
  const pieces = Math.ceil((length + pad) / 8), exchange = swizzle ? power(pieces, 8) : 1;
  const matrix = (r, c, e) => { // of 8 x 8; r, c: inside of it
    const row = e >> 1 & 1 ? r + 8 : r, piece = e >> 2;
    return [row, 8 * piece + c, 8 * (row * pieces + (piece ^ row % exchange)) + c];
  };
  const tile = (row, col) => ((col >> 6) * 64 + row) * 64 + ((col >> 3 ^ row) & 7) * 8 + col % 8;
  return [
    () => lanes(32, 8, (high, low, e) => [high + 8 * (e >> 1 & 1), low + 8 * (e >> 2)]),
    () => lanes(32, 4, (high, low, e) => [low + 8 * (e >> 1), high]),
    () => lanes(32, 4, (high, low, e) => [high + 8 * (e >> 1), low]),
    () => lanes(32, 8, matrix),
    () => lanes(32, 8, (high, low, e) => matrix(low, high, e)),
    () => lanes(128, n / 2, (high, low, e, warp) => [16 * warp + high + 8 * (e >> 1 & 1), low + 8 * (e >> 2)]),
    () => range(64 * 16).map(i => [i >> 4, i % 16, 0, 0, tile(i >> 4, k + i % 16)]),
    () => range(n * 16).map(i => [i % 16, i >> 4, 0, 0, tile(k + i % 16, i >> 4)]),
  ][what]();
}

function fragments() {
  for (let i = 0; i < 200; i++) {
    const setting = [i % 8, i % 3 ? any([64, 128, 256]) : 16 + random(241), any([0, 0, 8, random(65)]), random(2), any([8, 16, 32, 64, 128, 256]), any([0, 16, 32, 48])];
    const elements = by_the_manual(setting);
    same(setting, fragment(setting).join(" "), elements.join(" "));
    if (setting[0] !== 3 && setting[0] !== 4) continue;
    const rows = new Set(elements.map(([, , , e, at]) => 2 ** 16 * (e >> 1) + (at >> 3))); // of 16 bytes, in four matrices
    const taken = range(4).map(m => Math.max(...range(8).map(banks => [...rows].filter(at => at >> 16 === m && at % 8 === banks).length)));
    same(setting, explore(setting, 10).filter((_, word) => word === 2 || word > 5), [taken.reduce((a, b) => a + b), ...taken]);
  }
}

/* ---- waves --------------------------------------------------------------- */

function waves() {
  for (let i = 0; i < 200; i++) {
    const BM = any([64, 128, 256]), BN = any([64, 128, 256]), GROUP = any([1, 2, 4, 8, 16, 32]), most = i % 10 ? 2000 : 8192;
    const M = 1 + random(most), N = 1 + random(most), sms = i % 2 ? 132 : 1 + random(256), per_sm = 1 + random(i % 3 ? 2 : 32), wave = 1 + random(4);
    const rows = Math.ceil(M / BM), columns = Math.ceil(N / BN), blocks = rows * columns, room = sms * per_sm, count = Math.ceil(blocks / room);
    const order = [], of_a = new Set(), of_b = new Set();
    let block = 0;
    for (let band = 0; band < rows; band += GROUP)
      for (let column = 0; column < columns; column++)
        for (let row = band; row < Math.min(band + GROUP, rows); row++) {
          if (Math.floor(block / room) + 1 === Math.min(wave, count)) of_a.add(row), of_b.add(column);
          order[row * columns + column] = block++;
        }
    const setting = [M, N, BM, BN, GROUP, sms, per_sm, wave];
    same(setting, explore(setting, 8), [rows, columns, blocks, room, count, blocks - (count - 1) * room, of_a.size, of_b.size]);
    same(setting, explore(setting, 73 + blocks).slice(73), order); // 9 words, 256 bytes, then the block of each tile
  }
}

/* ---- tiles --------------------------------------------------------------- */

const NAMES = ["BM", "BN", "BK", "TM", "TN"];

/** The lines of a chapter that say what its tiles are. */
function read_chapter(dir) {
  const lines = readFileSync(join("chapters", dir, dir + ".cu"), "utf8").split("\n"), numbers = {};
  const define = lines.filter(line => line.startsWith("#define"));
  for (const line of define) if (/^#define [BT][MNK] +\d/.test(line)) numbers[line.split(/\s+/)[1]] = +line.split(/\s+/)[2];
  if (dir.startsWith("gemm_05")) Object.assign(numbers, { BM: 16 * numbers.TM, BN: 16 * numbers.TN });
  const of = pattern => lines.filter(line => pattern.test(line)).map(line => line.replace(/ = .*|\/\/.*/, "").replace(/;?$/, ";")).join("\n");
  return { define, numbers, rules: lines.filter(line => line.startsWith("static_assert")),
    shared: of(/^ *__shared__/), registers: of(/^ *float (sum|a_next|a\[2\]|a(?=\[TM))\[/) };
}

/** What the page says of a setting. */
function explore_tiles(number, setting) {
  const at = wasm.explore(number, ...NAMES.map(name => setting[name])), words = new Uint32Array(wasm.memory.buffer, at, 79), bytes = new Uint8Array(wasm.memory.buffer);
  const string = p => Buffer.from(bytes.subarray(p, bytes.indexOf(0, p))).toString();
  const rules = range(words[1]).map(i => ({ condition: string(words[2 + 3 * i]), text: string(words[3 + 3 * i]), holds: !!words[4 + 3 * i] }));
  const [threads, , , , , registers, shared, , , , , ffma, , requests, wavefronts] = words.slice(62);
  return { broken: words[0], rules, threads, registers, shared, ffma, requests, wavefronts, owners: () => new Uint32Array(wasm.memory.buffer, at + 4 * 79, setting.BM * setting.BN) };
}

/** Each chapter's own tiles with one, two or all numbers changed: its rules, and its arrays, judged by clang. */
function judge(chapters) {
  const choices = Object.fromEntries(NAMES.map(name => [name, [...page.match(new RegExp(`<select id="${name}".*`))[0].matchAll(/<option[^>]*>(\d+)/g)].map(m => +m[1])]));
  let source = "#define __shared__\n#define __align__(n)\n", legal = 0;
  const cases = range(200).map(i => {
    const number = 5 + i % 6, chapter = chapters[number], setting = { ...chapter.numbers };
    for (const name of i % 5 === 0 ? NAMES : [any(NAMES), any(NAMES)]) setting[name] = any(choices[name]);
    const said = explore_tiles(number, setting), place = `gemm_${number} ${JSON.stringify(setting)}`;
    source += `namespace n${i} {\n` + chapter.define.map(line => { const name = line.split(/\s+/)[1]; return name === "EDGE" ? `#define EDGE ${setting.BK}` : name in setting ? `#define ${name} ${setting[name]}` : line; }).join("\n") + "\n";
    source += chapter.rules.map((line, r) => `#line ${1000 * (i + 1) + r}\n${line}\n`).join("");
    if (!said.broken) {
      legal++;
      const each = new Uint32Array(said.threads);
      for (const thread of said.owners()) each[thread]++;
      expect(each.every(n => n === setting.TM * setting.TN), `${place}: not every thread has its share`);
      source += `#line ${1000 * (i + 1) + 900}\nstruct shared { ${chapter.shared} }; struct registers { ${chapter.registers} };\n`
        + `static_assert(${number === 5 ? "EDGE * EDGE" : "THREADS"} == ${said.threads} && sizeof(shared) == ${said.shared} && sizeof(registers) == 4 * ${said.registers}, "");\n`;
    }
    source += `}\n` + chapter.define.map(line => line.split(/[\s(]+/)[1]).map(name => `#undef ${name}\n`).join("");
    return { chapter, place, said };
  });
  const judged = spawnSync(process.env.CLANG || "clang-14", ["-x", "c++", "-std=c++17", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-"], { input: source, maxBuffer: 1 << 26 });
  const failed = new Set([...judged.stderr.toString().matchAll(/:(\d+):\d+: error: /g)].map(m => +m[1]));
  expect(judged.status !== null && failed.size > 0, "clang judged nothing");
  cases.forEach(({ chapter, place, said }, i) => {
    chapter.rules.forEach((line, r) => {
      const rule = said.rules.find(rule => line === `static_assert(${rule.condition}, "${rule.text}");`);
      expect(rule, `${place}: ${line} is no rule of the page`);
      expect(rule?.holds === !failed.has(1000 * (i + 1) + r), `${place}: ${line} ${rule?.holds ? "holds" : "does not hold"}, says the page`);
    });
    expect(range(3).every(line => !failed.has(1000 * (i + 1) + 900 + line)), `${place}: other sizes than the page's`);
  });
  expect(legal >= 15 && legal <= 150, `${legal} of 200 settings are legal`);
}

function tiles() {
  const chapters = {};
  for (const dir of readdirSync("chapters")) if (/^gemm_(0[5-9]|10)_/.test(dir)) chapters[+dir.slice(5, 7)] = read_chapter(dir);
  judge(chapters);
  // The runs of the chapters: their own tiles, counted.
  const runs = readFileSync(records, "utf8").trim().split("\n");
  expect(runs.length === 6, `${runs.length} runs instead of 6`);
  for (const line of runs) {
    const { chapter: name, counts, launch } = JSON.parse(line), number = +name.slice(5, 7), said = explore_tiles(number, chapters[number].numbers);
    const each = counts.ffma / 32 / said.ffma; // a warp's steps of k
    same(name, [said.threads, said.shared, said.requests, said.wavefronts],
      [launch.block[0] * launch.block[1], launch.shared_bytes, Math.round(counts.shared_load_requests / each), Math.round(counts.shared_load_wavefronts / each)]);
    const preset = page.match(new RegExp(`data-state="([^"]*)">gemm_0?${number}<`))[1], shown = { ...chapters[10].numbers, ...parse(preset) };
    expect(NAMES.every(n => shown[n] === chapters[number].numbers[n]) && (shown.chapter || 10) === number, `the preset ${preset} is not ${name}`);
  }
}

/* ---- all ----------------------------------------------------------------- */

/** The test of an explorer, its first state in the order of its arguments, what its still table shows. */
const explorers = {
  coalescing: [coalescing, { bytes: 4, pitch: 4096, offset: 0, mask: 0xffffffff }, s => explore(s, 4)],
  banks: [banks, { store: 0, width: 4, rows: 32, stride: 32, pad: 0, swizzle: 0 }, s => [s[3] + s[4], explore(s, 1)]],
  fragments: [fragments, { what: 3, row: 64, pad: 0, swizzle: 0, n: 64, k: 0 }, s => s[0] === 3 || s[0] === 4 ? [s[1] + s[2], explore(s, 3)[2]]
    : [fragment(s).filter(e => e[2] === 5).map(([row, column]) => row + "," + column).join(" ")]],
  waves: [waves, { M: 4096, N: 4096, BM: 128, BN: 256, GROUP: 8, sms: 132, per_sm: 1, wave: 1 }, s => [2, 4, 5, 6, 7].map(word => explore(s, 8)[word])],
  tiles: [tiles, { chapter: 10, BM: 128, BN: 256, BK: 8, TM: 16, TN: 8 }, s => [67, 68, 69, 76].map(word => explore(s, 77)[word])],
};
const [test, first, still] = explorers[name];
test();
const table = [...page.matchAll(/<tr data-state="([^"]*)">(.*)/g)];
expect(table.length >= 3, `${table.length} rows of the still table`);
for (const [, state, cells] of table)
  same(`still table, ${state}`, cells.replace(/<\/t[dr]>/g, "").split("<td>").slice(2).join(), still(Object.values({ ...first, ...parse(state) })));
console.log(`${name}: ${compared} comparisons, ${wrong} wrong`);
process.exit(wrong || compared < 200 ? 1 : 0);
