"use strict";
// Undoes the filters of a PNG, makes the picture smaller by averages, and filters it again.
// Source: PNG (third edition), sections 7, 9 and 8.2 (Adam7).

const PASSES = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
const CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4};

function paeth(a, b, c) {
  const p = a + b - c, x = Math.abs(p - a), y = Math.abs(p - b), z = Math.abs(p - c);
  return x <= y && x <= z ? a : y <= z ? b : c;
}

function unfilter(raw, at, rows, stride, step) {
  for (let y = 0; y < rows; y++, at += stride + 1) {
    const kind = raw[at], row = at + 1, above = row - stride - 1;
    if (kind > 4) throw new Error("a row is of no known kind");
    if (kind === 0) continue;
    for (let i = 0; i < stride; i++) {
      const a = i >= step ? raw[row + i - step] : 0;
      const b = y ? raw[above + i] : 0;
      const c = y && i >= step ? raw[above + i - step] : 0;
      raw[row + i] += kind === 1 ? a : kind === 2 ? b : kind === 3 ? (a + b) >> 1 : paeth(a, b, c);
    }
  }
}

// Adds every pixel of one pass to the small picture's sums.
function spread(o, raw, at, pass, wide, high, stride, sums) {
  const {depth, colour, palette, clear, width, height, w, h} = o;
  const channels = CHANNELS[colour], most = (1 << Math.min(depth, 8)) - 1;
  for (let y = 0; y < high; y++) {
    const row = at + y * (stride + 1) + 1;
    const ty = Math.floor((pass[1] + y * pass[3]) * h / height) * w;
    for (let x = 0; x < wide; x++) {
      const value = [0, 0, 0, 0];
      for (let c = 0; c < channels; c++) {
        const n = x * channels + c;
        value[c] = depth === 16 ? raw[row + n * 2] : depth === 8 ? raw[row + n]
          : (raw[row + (n * depth >> 3)] >> (8 - depth - (n * depth & 7))) & most;
      }
      let r, g, b, a = 255;
      if (colour === 3) {
        const n = value[0] * 3;
        [r, g, b] = [palette[n] || 0, palette[n + 1] || 0, palette[n + 2] || 0];
        if (clear.length) a = value[0] < clear.length ? clear[value[0]] : 255;
      } else if (colour === 2 || colour === 6) {
        [r, g, b] = value;
        if (colour === 6) a = value[3];
      } else {
        r = g = b = depth < 8 ? value[0] * 255 / most : value[0];
        if (colour === 4) a = value[1];
      }
      const to = (ty + Math.floor((pass[0] + x * pass[2]) * w / width)) * 5;
      sums[to] += r * a; sums[to + 1] += g * a; sums[to + 2] += b * a; sums[to + 3] += a; sums[to + 4]++;
    }
  }
}

// Gives rows of a PNG (filter byte first) for a picture of w by h.
function scaled(o, buffer) {
  const raw = new Uint8Array(buffer), {width, height, depth, colour, interlaced, w, h, alpha} = o;
  const bits = depth * CHANNELS[colour], step = Math.max(1, bits >> 3);
  const sums = new Float64Array(w * h * 5);
  let at = 0;
  for (const pass of interlaced ? PASSES : [[0, 0, 1, 1]]) {
    const wide = Math.ceil((width - pass[0]) / pass[2]), high = Math.ceil((height - pass[1]) / pass[3]);
    if (wide <= 0 || high <= 0) continue;
    const stride = (wide * bits + 7) >> 3;
    unfilter(raw, at, high, stride, step);
    spread(o, raw, at, pass, wide, high, stride, sums);
    at += high * (stride + 1);
  }
  const n = alpha ? 4 : 3, line = w * n, plain = new Uint8Array(h * line);
  for (let i = 0, to = 0; i < w * h; i++) {
    const a = sums[i * 5 + 3];
    for (let c = 0; c < 3; c++) plain[to++] = a ? Math.round(sums[i * 5 + c] / a) : 0;
    if (alpha) plain[to++] = Math.round(a / sums[i * 5 + 4]);
  }
  const out = new Uint8Array(h * (line + 1));
  const tries = [0, 1, 2, 4].map(kind => [kind, new Uint8Array(line)]);
  for (let y = 0; y < h; y++) {
    let best = null, least = Infinity;
    for (const [kind, row] of tries) {
      let cost = 0;
      for (let i = 0; i < line; i++) {
        const p = y * line + i, a = i >= n ? plain[p - n] : 0, b = y ? plain[p - line] : 0;
        const c = y && i >= n ? plain[p - line - n] : 0;
        row[i] = plain[p] - (kind === 0 ? 0 : kind === 1 ? a : kind === 2 ? b : paeth(a, b, c));
        cost += row[i] < 128 ? row[i] : 256 - row[i];
      }
      if (cost < least) { least = cost; best = [kind, row]; }
    }
    out[y * (line + 1)] = best[0];
    out.set(best[1], y * (line + 1) + 1);
  }
  return out.buffer;
}
