import { readSources, importsOf, folderCycles } from '/work/main/test/house/imports.js'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
const src = readSources('/work/main/src')
const load = (specs: string[]) => { const m = new Map<string, string>(), d: [string, string][] = []
  for (const s of specs) for (const l of readFileSync(s, 'utf8').split('\n')) { const [k, a, b] = l.replace(/#.*/, '').trim().split(/\s+/); if (k === 'mv') m.set(a, b); if (k === 'mvdir') d.push([a, b]) }
  return (f: string) => { if (m.has(f)) return m.get(f)!; for (const [a, b] of d) if (f.startsWith(a + '/')) return b + f.slice(a.length); return f } }
const first = load(['/tmp/codemod/names.spec']); const second = load(process.argv.slice(2))
const map = (f: string) => second(first(f))
const known = new Map([...src.keys()].map(f => [f.replace(/\.tsx?$/, ''), f]))
const imports = [...src].flatMap(([f, t]) => importsOf(f, t)).map(i => ({ ...i, from: map(i.from), to: known.has(i.to) ? map(known.get(i.to)!).replace(/\.tsx?$/, '') : i.to }))
for (const group of folderCycles(imports)) {
  console.log('CYCLE', group.join(' '))
  const s = new Set(group); const lines = new Map<string, string[]>()
  for (const i of imports) { const a = dirname(i.from), b = dirname(i.to); if (a !== b && s.has(a) && s.has(b) && !`${a}/`.startsWith(`${b}/`) && !`${b}/`.startsWith(`${a}/`)) { const k = `${a} -> ${b}`; lines.set(k, [...(lines.get(k) ?? []), `${i.from.split('/').pop()}->${i.to.split('/').pop()}${i.atLoad ? '' : '(t)'}`]) } }
  for (const [k, v] of [...lines].sort((x, y) => x[1].length - y[1].length)) console.log('  ', k, v.length, v.slice(0, 9).join(' '))
}
