/**
 * Groups modules into few chunks. esbuild puts modules into one chunk if exactly the same entries reach them, and each command is an
 * entry: a command would load sixty small files. Here each entry also imports the whole of a group that it uses, so that the same
 * entries reach all modules of the group.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** An entry that uses more than this share of a group imports all of it. */
const USED = 0.4

/**
 * Returns the plugin that groups modules.
 * @param inputs `metafile.inputs` of a build of the same entries
 * @param groups by name: the modules that `share` of the entries `of` the group load, and everything that the entries `all` load. A
 * later group leaves out the modules of earlier ones; the first is imported by each entry that uses any of it
 * @param lean entries without groups
 */
export function chunkGroups(inputs, groups, lean) {
  const entries = entriesIn(inputs)
  const loaded = new Map([...entries].map((entry) => [entry, closure(inputs, entry)]))
  const grouped = new Set(entries)
  for (const entry of lean) for (const path of loaded.get(entry)) grouped.add(path)
  const imports = new Map()
  const contents = new Map()
  for (const [name, { of, share, all }] of Object.entries(groups)) {
    const own = [...entries].filter(of)
    const counts = new Map()
    for (const entry of own) for (const path of loaded.get(entry)) counts.set(path, (counts.get(path) ?? 0) + 1)
    const frequent = [...counts].filter(([, count]) => count >= own.length * share).map(([path]) => path)
    const modules = [...new Set([...frequent, ...all.flatMap((entry) => [...loaded.get(entry)])])].filter((path) => path.startsWith('src/') && !grouped.has(path)).sort()
    for (const path of modules) grouped.add(path)
    const least = contents.size === 0 ? 0 : modules.length * USED
    contents.set(name, modules)
    for (const entry of entries) {
      const uses = modules.filter((path) => loaded.get(entry).has(path)).length
      if (uses > least && !lean.includes(entry)) imports.set(entry, [...(imports.get(entry) ?? []), name])
    }
  }
  return { name: 'chunk groups', setup: (build) => setUp(build, imports, contents) }
}

/** Returns the modules that are loaded by `import()`, and those that nothing imports. */
function entriesIn(inputs) {
  const all = Object.values(inputs).flatMap(({ imports }) => imports)
  const imported = new Set(all.filter(({ external }) => external !== true).map(({ path }) => path))
  const dynamic = all.filter(({ kind, external }) => kind === 'dynamic-import' && external !== true).map(({ path }) => path)
  return new Set([...Object.keys(inputs).filter((path) => !imported.has(path)), ...dynamic].filter((path) => path.startsWith('src/')))
}

/** Returns the modules that a module loads at once, itself included. */
function closure(inputs, entry) {
  const found = new Set([entry])
  for (const path of found) {
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) if (kind !== 'dynamic-import' && external !== true) found.add(next)
  }
  return found
}

function setUp(build, imports, contents) {
  const root = process.cwd()
  build.onResolve({ filter: /^chunk-group:/ }, ({ path }) => ({ path, namespace: 'chunk-group' }))
  build.onLoad({ filter: /.*/, namespace: 'chunk-group' }, ({ path }) => ({
    contents: contents.get(path.slice('chunk-group:'.length)).map((module) => `import ${JSON.stringify(`./${module}`)}`).join('\n'),
    resolveDir: root,
  }))
  const files = new Map([...imports].map(([path, names]) => [resolve(root, path), names]))
  build.onLoad({ filter: /[/\\]src[/\\].*\.tsx?$/ }, async ({ path }) => {
    const names = files.get(path)
    if (names === undefined) return undefined
    const text = await readFile(path, 'utf8')
    return { contents: `${names.map((name) => `import 'chunk-group:${name}'`).join('; ')}; ${text}`, loader: path.endsWith('x') ? 'tsx' : 'ts', resolveDir: join(path, '..') }
  })
}
