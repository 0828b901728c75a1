// node compare.mjs EXPLORER FOLDER PROGRAM: the module inside FOLDER/EXPLORER.html
// against what the simulator counts, or prints, of PROGRAM (accesses.cu by simcc)
// for 200 settings; and the still table of the page against the module.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [name, folder, program] = process.argv.slice(2);
let seed = 1;
const random = n => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0, Math.floor(seed / 2 ** 32 * n));
const any = list => list[random(list.length)];

const page = readFileSync(join(folder, name + ".html"), "utf8");
const module = Buffer.from(page.match(/explorer\(`\s*([^`]+?)\s*`/)[1], "base64");
const wasm = (await WebAssembly.instantiate(module)).instance.exports;

/** The first words of the result for a setting. */
const explore = (setting, n) => [...new Uint32Array(wasm.memory.buffer, wasm.explore(...setting), n)];

/** The settings of one explorer, its first state in the order of its arguments, what the module and the simulator say. */
const explorers = {
  coalescing: {
    first: { bytes: 4, pitch: 4096, offset: 0, mask: 0xffffffff },
    setting: i => [any([4, 8, 16]), i % 2 ? random(4201) : random(66), random(128), i % 4 ? 0xffffffff : 1 + random(2 ** 32 - 1)],
    module: s => explore(s, 4),
    counted: c => ["sectors", "tag_wavefronts", "data_wavefronts", "cycles"].map(k => c["global_load_" + k]),
    still: r => r,
  },
  banks: {
    first: { store: 0, width: 4, rows: 32, stride: 32, pad: 0, swizzle: 0 },
    setting: () => {
      const rows = any([1, 2, 4, 8, 16, 32]), width = any([4, 8, 16]), stride = random(4) ? any([8, 16, 20, 32, 36, 64, 128]) : random(129);
      const apart = 4 * stride >= 32 / rows * width; // else stores would meet
      return [apart ? random(2) : 0, width, rows, stride, random(2) ? random(33) : 0, random(2)];
    },
    module: s => {
      const [wavefronts, least, , , , ...taken] = explore(s, 9);
      return [wavefronts, wavefronts - least, taken.reduce((a, b) => a + b)];
    },
    counted: (c, [store]) => {
      const [wavefronts, conflicts] = ["wavefronts", "bank_conflicts"].map(k => c[`shared_${store ? "store" : "load"}_${k}`]);
      return [wavefronts, conflicts, wavefronts];
    },
    still: (r, s) => [s[3] + s[4], r[0]],
  },
  waves: {
    first: { M: 4096, N: 4096, BM: 128, BN: 256, GROUP: 8, sms: 132, per_sm: 1, wave: 1 },
    setting: i => {
      const BM = any([64, 128, 256]), BN = any([64, 128, 256]), GROUP = any([1, 2, 4, 8, 16, 32]), most = i % 10 ? 2000 : 8192;
      return [1 + random(most), 1 + random(most), BM, BN, GROUP, i % 2 ? 132 : 1 + random(256), 1 + random(i % 3 ? 2 : 32), 1 + random(4)];
    },
    module: s => {
      const [, , blocks, , waves, last, of_a, of_b] = explore(s, 8);
      const order = explore(s, 73 + blocks).slice(73); // 9 words, 256 bytes, then the block of each tile
      return [blocks, waves, last, of_a, of_b, order.reduce((sum, block) => (Math.imul(sum, 31) + block) >>> 0, 0)];
    },
    counted: printed => printed.split(",").map(Number),
    still: r => r.slice(0, 5),
  },
  tiles: {
    first: { chapter: 10, BM: 128, BN: 256, BK: 8, TM: 16, TN: 8 },
    setting: () => [1 + random(1024), random(3) ? 512 * random(97) : random(227 * 1024)],
    module: s => s.length === 2 ? [wasm.resident_blocks(s[0], 32, s[1])] : tiles(s),
    counted: printed => [+printed],
    still: r => r,
  },
  fragments: { // of the layouts, numbered as in fragments.c, 0, 1, 2 and 5 have no memory, 3 and 4 are ldmatrix
    first: { what: 3, row: 64, pad: 0, swizzle: 0, n: 64, k: 0 },
    setting: i => [i % 8, i % 3 ? any([64, 128, 256]) : 16 + random(241), any([0, 0, 8, random(65)]), random(2), any([8, 16, 32, 64, 128, 256]), any([0, 16, 32, 48])],
    module: s => {
      const [, , wavefronts, , pieces] = explore(s, 5), [what, , , swizzle] = s;
      const number = (row, column, at) => what < 2 ? 16 * row + column : what === 2 || what === 5 ? 256 * row + column
        : what < 5 && !swizzle && at !== 8 * pieces * row + column ? -1 : at;
      return [wavefronts, fragment(s).reduce((sum, [row, column, , , at]) => (Math.imul(sum, 31) + number(row, column, at)) >>> 0, 0)];
    },
    counted: (c, [what], printed) => [what === 3 || what === 4 ? c.shared_load_wavefronts : 0, +printed],
    still: (r, s) => s[0] === 3 || s[0] === 4 ? [s[1] + s[2], r[0]] : [fragment(s).filter(e => e[2] === 5).map(([row, column]) => row + "," + column).join(" ")],
  },
};

/** The elements of a layout: row, column, lane, slot, place in memory of each. */
function fragment(setting) {
  const [elements] = explore(setting, 1), lists = explore(setting, 14 + 5 * 16384).slice(14);
  return Array.from({ length: elements }, (_, i) => [0, 1, 2, 3, 4].map(list => lists[16384 * list + i]));
}

/** What the still table of tiles shows. */
function tiles(setting) {
  const [, , , , , registers, shared, blocks, , , , , , , wavefronts] = explore(setting, 77).slice(62);
  return [registers, shared, blocks, wavefronts];
}

const it = explorers[name];
const settings = Array.from({ length: 200 }, (_, i) => it.setting(i));
const work = mkdtempSync(join(tmpdir(), "explorers-"));
const report = join(work, "report");
const input = settings.map(s => [name, ...s].join(" ")).join("\n") + "\n";
const printed = execFileSync(program, { input, env: { ...process.env, SIM_REPORT: report } }).toString();
const lines = printed.trim().split("\n");
const counts = printed && name !== "fragments" ? lines : readFileSync(report, "utf8").trim().split("\n").map(line => JSON.parse(line).counts);
rmSync(work, { recursive: true });

let wrong = counts.length === settings.length ? 0 : 1;
settings.forEach((s, i) => {
  const [got, wanted] = [it.module(s), it.counted(counts[i], s, lines[i])].map(String);
  if (got !== wanted && wrong++ < 5) console.log(`${name} ${s}: the page says ${got}, the simulator ${wanted}`);
});
let rows = 0;
for (const [, state, cells] of page.matchAll(/<tr data-state="([^"]*)">(.*)/g)) {
  const changes = Object.fromEntries([...new URLSearchParams(state.replaceAll("&amp;", "&"))].map(([k, v]) => [k, +v]));
  const setting = Object.values({ ...it.first, ...changes });
  const got = cells.replace(/<\/t[dr]>/g, "").split("<td>").slice(2).join(), wanted = String(it.still(it.module(setting), setting));
  if (got !== wanted) wrong++, console.log(`${name}, still table, ${state}: ${got}, the module ${wanted}`);
  rows++;
}
const distinct = new Set(counts.map((c, i) => String(it.counted(c, settings[i], lines[i])))).size;
console.log(`${name}: ${settings.length} settings with ${distinct} different results, ${rows} rows of the still table, ${wrong} wrong`);
process.exit(wrong || rows < 3 || distinct < 10 ? 1 : 0);
