// @ts-check
// QR codes (ISO/IEC 18004): bytes, level M, versions 1 to 6, which is 106 bytes: more than any address of a speaker has.
const svg = 'http://www.w3.org/2000/svg';

/** Of each version: codewords, those for correction in a block, blocks. All blocks of these are of one length. @type {[number, number, number][]} */
const versions = [[26, 10, 1], [44, 16, 1], [70, 26, 1], [100, 18, 2], [134, 24, 2], [172, 16, 4]];

/** Multiplies in GF(256), by 0x11d. */
function times(a, b) {
  let product = 0;
  for (; b; b >>= 1, a = (a << 1) ^ (a & 128 ? 0x11d : 0)) if (b & 1) product ^= a;
  return product;
}

/** What is left of `data` after division by the polynomial for `count` codewords of correction. @param {number[]} data */
function correction(data, count) {
  let divisor = [1];
  for (let index = 0, root = 1; index < count; index++, root = times(root, 2)) {
    divisor = [...divisor, 0].map((one, place) => one ^ (place ? times(divisor[place - 1], root) : 0));
  }
  const rest = [...data, ...Array(count).fill(0)];
  for (let index = 0; index < data.length; index++) {
    const factor = rest[index];
    divisor.forEach((one, place) => { rest[index + place] ^= times(one, factor); });
  }
  return rest.slice(data.length);
}

/** The codewords of `bytes`, the blocks taking turns. @param {Uint8Array} bytes */
function codewords(bytes, total, check, blocks) {
  const room = total - check * blocks;
  const bits = [0, 1, 0, 0];
  const add = (value, count) => { while (count--) bits.push((value >> count) & 1); };
  add(bytes.length, 8);
  for (const byte of bytes) add(byte, 8);
  add(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, index) => bits.slice(index * 8, index * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  const each = room / blocks;
  const parts = Array.from({ length: blocks }, (_, index) => data.slice(index * each, index * each + each));
  const checks = parts.map((part) => correction(part, check));
  const turns = (lists) => lists[0].flatMap((_, index) => lists.map((list) => list[index]));
  return [...turns(parts), ...turns(checks)];
}

const masks = [(x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];

/** How hard a code is to read: long runs, blocks, what looks like a corner, and more of one colour. @param {number[][]} rows */
function penalty(rows) {
  const size = rows.length;
  let [sum, dark] = [0, 0];
  for (const lines of [rows, rows.map((_, x) => rows.map((row) => row[x]))]) {
    for (const line of lines) {
      const text = line.join('');
      for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
      for (const corner of ['00001011101', '10111010000']) for (let at = text.indexOf(corner); at >= 0; at = text.indexOf(corner, at + 1)) sum += 40;
    }
  }
  rows.forEach((row, y) => row.forEach((one, x) => {
    dark += one;
    if (x && y && one === row[x - 1] && one === rows[y - 1][x] && one === rows[y - 1][x - 1]) sum += 3;
  }));
  return sum + 10 * Math.floor(Math.abs(dark * 20 / size ** 2 - 10));
}

/** The rows of the code of `text`, 1 for dark; undefined if it is too long. @returns {number[][] | undefined} */
export function rows(text) {
  const bytes = new TextEncoder().encode(text);
  const number = versions.findIndex(([total, check, blocks]) => bytes.length + 2 <= total - check * blocks) + 1;
  if (!number) return undefined;
  const size = 17 + 4 * number;
  /** Undefined where data may be. @type {(number | undefined)[][]} */
  const fixed = Array.from({ length: size }, () => Array(size).fill(undefined));
  const square = (cx, cy, reach, dark) => {
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) if (fixed[cy + y] && cx + x >= 0 && cx + x < size) fixed[cy + y][cx + x] = Number(dark(Math.max(Math.abs(x), Math.abs(y))));
    }
  };
  for (let index = 0; index < size; index++) fixed[6][index] = fixed[index][6] = 1 - index % 2;
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, (far) => far !== 2 && far !== 4);
  if (number > 1) square(size - 7, size - 7, 2, (far) => far !== 1);
  const format = (mask, set) => {
    let rest = mask;
    for (let index = 0; index < 10; index++) rest = (rest << 1) ^ (rest >> 9) * 0x537;
    const bits = (mask << 10 | rest) ^ 0x5412;
    for (let index = 0; index < 15; index++) {
      const bit = (bits >> index) & 1;
      set(8, index < 6 ? index : index < 8 ? index + 1 : size - 15 + index, bit);
      set(index < 8 ? size - 1 - index : index < 9 ? 7 : 14 - index, 8, bit);
    }
    set(8, size - 8, 1);
  };
  format(0, (x, y) => { fixed[y][x] = 0; });
  const words = codewords(bytes, ...versions[number - 1]);
  let best;
  for (let mask = 0; mask < 8; mask++) {
    const rows = fixed.map((row) => row.map((one) => one ?? 0));
    let place = 0;
    for (let right = size - 1; right > 0; right -= 2) {
      if (right === 6) right--;
      for (let step = 0; step < size; step++) {
        for (const x of [right, right - 1]) {
          const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
          if (fixed[y][x] !== undefined) continue;
          const bit = (words[place >> 3] >> (7 - (place & 7))) & 1;
          rows[y][x] = bit ^ Number(masks[mask](x, y) === 0);
          place++;
        }
      }
    }
    format(mask, (x, y, bit) => { rows[y][x] = bit; });
    const score = penalty(rows);
    if (!best || score < best.score) best = { score, rows };
  }
  return best?.rows;
}

/** The code of `text` as a picture: dark on white in every colour scheme, with the quiet zone that readers want. */
export function picture(text, name) {
  const code = rows(text);
  if (!code) return null;
  const node = document.createElementNS(svg, 'svg');
  const side = code.length + 8;
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': name, class: 'qr', 'shape-rendering': 'crispEdges' })) node.setAttribute(key, value);
  const part = (path, fill) => {
    const one = document.createElementNS(svg, 'path');
    one.setAttribute('d', path);
    one.setAttribute('fill', fill);
    one.setAttribute('stroke', 'none');
    node.append(one);
  };
  part(`M0 0h${side}v${side}H0z`, '#fff');
  part(code.map((row, y) => row.map((one, x) => (one ? `M${x + 4} ${y + 4}h1v1h-1z` : '')).join('')).join(''), '#000');
  return node;
}
