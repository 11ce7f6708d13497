/** Import graph of the sources, and checks of the architecture rules on it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

export interface Import {
  /** Importing file below `src`: `store/engine/commit.ts`. */
  from: string
  /** Imported file below `src` without suffix (`store/keys`), or package or module as written. */
  to: string
  /** True when the import is evaluated at load: neither a type nor a dynamic import. */
  atLoad: boolean
  /** Set for a dynamic import. */
  isDynamic?: true
}

/** Reads every source file below a folder, by relative path. */
export function readSources(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  return new Map(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]))
}

/** Returns all imported modules of a file: by imports, exports, types, `import()` and `require()`. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = []
  const add = (node: ts.Node | undefined, atLoad: boolean, isDynamic = false): void => {
    if (node === undefined || !ts.isStringLiteralLike(node)) return
    const to = node.text.startsWith('.') ? normalize(join(dirname(file), node.text)).replace(/\.jsx?$/, '') : node.text
    found.push({ from: file, to, atLoad, ...(isDynamic ? { isDynamic: true } : {}) })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, !isOfTypes(node))
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, !node.isTypeOnly)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, false)
    else if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], false, true)
      else if (/^(require|\w+\.require|require\.resolve)$/.test(node.expression.getText())) add(node.arguments[0], true)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

function isOfTypes({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { name, namedBindings } = importClause
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false
  return namedBindings.elements.length > 0 && namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly)
}

/** Layers from top to bottom: a layer imports from itself and from lower layers. */
const LAYERS = ['cli', 'server', 'sync', 'store']
const MODEL = 'store/model/'

const layerOf = (path: string): number => LAYERS.indexOf(path.split('/')[0] ?? '')

/** Packages that may be imported only in certain places. */
const CONFINED: [packages: RegExp, place: RegExp][] = [
  [/^(level|classic-level|abstract-level)$/, /^store\/engine\/database\.ts$/],
  [/^@automerge\//, /^sync\/crdt\/document\.ts$/],
  [/^(hono|@hono\/.*)(\/|$)/, /^server\/(http|pages)\//],
  [/^socket\.io/, /^server\/websocket\//],
  [/^ws$/, /^server\/sync\//],
  [/^@grpc\//, /^server\/platform\/registry\/etcd\/wire\.ts$/],
  [/^(ink|react)(\/|$)/, /^cli\/screens\//],
]
/** Modules for input and output, which the model must not import. */
const IO_MODULES = /^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster|os)(\/|$)/

/** Returns imports that violate the layers of the architecture. */
export function layerViolations(imports: readonly Import[]): string[] {
  const violations: string[] = []
  for (const { from, to } of imports) {
    const line = `${from} → ${to}`
    if (layerOf(to) >= 0 && layerOf(to) < layerOf(from)) violations.push(`${line} goes upward`)
    if (from.startsWith(MODEL) && layerOf(to) >= 0 && !to.startsWith(MODEL)) violations.push(`${line} leaves the model`)
    if (from.startsWith(MODEL) && IO_MODULES.test(to)) violations.push(`${line} is input or output in the model`)
    for (const [packages, place] of CONFINED) {
      if (packages.test(to) && !place.test(from)) violations.push(`${line} is out of its place`)
    }
  }
  return violations
}

/** Returns all nodes reachable from one. */
function reachOf(start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>()
  const pending = [...(graph.get(start) ?? [])]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    pending.push(...(graph.get(next) ?? []))
  }
  return seen
}

/** Returns groups of nodes that form cycles. */
function cycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...graph.keys()].map((name) => [name, reachOf(name, graph)]))
  const groups = new Map<string, string[]>()
  for (const [name, all] of reached) {
    if (!all.has(name)) continue
    const group = [...all].filter((other) => reached.get(other)?.has(name) === true).sort()
    groups.set(group.join(' '), group)
  }
  return [...groups.values()]
}

/** Returns files without suffix, and packages, that are loaded with a file. */
export function loadedWith(file: string, imports: readonly Import[]): Set<string> {
  const graph = graphOf(imports.filter(({ atLoad }) => atLoad).map(({ from, to }) => [from.replace(/\.tsx?$/, ''), to] as const))
  return reachOf(file, graph)
}

function graphOf(edges: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  return graph
}

/** Returns cycles of files by imports at load. */
export function fileCycles(imports: readonly Import[]): string[][] {
  const own = imports.filter(({ to, atLoad }) => atLoad && layerOf(to) >= 0)
  return cycles(graphOf(own.map(({ from, to }) => [from.replace(/\.tsx?$/, ''), to] as const)))
}

/** Returns cycles of files by types or imports at load, but not by `import()`, which breaks cycles on purpose. */
export function typeCycles(imports: readonly Import[]): string[][] {
  const own = imports.filter(({ to, isDynamic }) => isDynamic !== true && layerOf(to) >= 0)
  return cycles(graphOf(own.map(({ from, to }) => [from.replace(/\.tsx?$/, ''), to] as const)))
}

/**
 * Returns cycles of folders, by code or types. Imports between a folder and its subfolders are allowed, because a parent
 * composes its subfolders and holds their shared code.
 */
export function folderCycles(imports: readonly Import[]): string[][] {
  const own = imports.filter(({ to }) => layerOf(to) >= 0)
  const edges = own.map(({ from, to }) => [dirname(from), dirname(to)] as const)
  const unrelated = edges.filter(([from, to]) => !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`))
  return cycles(graphOf(unrelated))
}

/** Returns default exports and re-exports. */
export function forbiddenExports(sources: ReadonlyMap<string, string>): string[] {
  const forbidden: string[] = []
  for (const [file, text] of sources) {
    for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
      const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
      const isNamedDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
      if (isNamedDefault || ts.isExportAssignment(node)) forbidden.push(`${file} exports a default`)
      if (!ts.isExportDeclaration(node)) continue
      const { exportClause, moduleSpecifier } = node
      const named = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : []
      if (named.some(({ name }) => name.text === 'default')) forbidden.push(`${file} exports a default`)
      if (moduleSpecifier !== undefined) forbidden.push(`${file} re-exports ${moduleSpecifier.getText()}`)
    }
  }
  return forbidden
}

/** Returns the names that a file exports. */
function exportsOf(file: string, text: string): string[] {
  const names: string[] = []
  for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
    const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
    if (ts.isExportDeclaration(node) && node.exportClause !== undefined && ts.isNamedExports(node.exportClause)) {
      names.push(...node.exportClause.elements.map(({ name }) => name.text))
    }
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue
    if (ts.isVariableStatement(node)) for (const { name } of node.declarationList.declarations) names.push(...namesBound(name))
    else if ('name' in node) names.push((node.name as ts.Identifier).text)
  }
  return [...new Set(names)]
}

/** Returns the property names of a destructuring pattern, or the identifier itself. */
const namesBound = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name) ? [name.text]
  : ts.isObjectBindingPattern(name) ? name.elements.map((element) => (element.propertyName ?? element.name).getText())
  : []

const ANY = '*'

/** Returns the names that a file imports: `<file below the root, without suffix>#<name>`, or `*` for possibly any. */
function importedNames(file: string, text: string): string[] {
  const imported: string[] = []
  // All other imports are top-level statements.
  const hasCalls = /\bimport\(/.test(text)
  const add = (from: ts.Node | undefined, names: readonly string[]): void => {
    if (from === undefined || !ts.isStringLiteralLike(from) || !from.text.startsWith('.')) return
    const module = normalize(join(dirname(file), from.text)).replace(/\.[jt]sx?$/, '')
    imported.push(...names.map((name) => `${module}#${name}`))
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings
      const isNamed = bindings !== undefined && ts.isNamedImports(bindings)
      add(node.moduleSpecifier, isNamed ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text) : bindings === undefined ? [] : [ANY])
    } else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, [ANY])
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, [node.qualifier === undefined ? ANY : node.qualifier.getText().replace(/\..*/, '')])
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], namesOfCall(node))
    if (hasCalls || node.parent === undefined) ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return imported
}

/** Returns the names that the code around an `import()` uses. */
function namesOfCall(call: ts.CallExpression): string[] {
  let node: ts.Node = call
  const { parent } = call
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === 'then' && ts.isCallExpression(parent.parent)) {
    const [then] = parent.parent.arguments
    const [first] = then !== undefined && ts.isArrowFunction(then) ? then.parameters : []
    return first !== undefined && ts.isObjectBindingPattern(first.name) ? namesBound(first.name) : [ANY]
  }
  let at: number | undefined
  if (ts.isArrayLiteralExpression(parent) && ts.isCallExpression(parent.parent) && parent.parent.expression.getText() === 'Promise.all') {
    at = parent.elements.indexOf(call)
    node = parent.parent
  }
  if (!ts.isAwaitExpression(node.parent)) return [ANY]
  node = node.parent
  while (ts.isParenthesizedExpression(node.parent)) node = node.parent
  if (at === undefined && ts.isPropertyAccessExpression(node.parent)) return [node.parent.name.text]
  if (!ts.isVariableDeclaration(node.parent)) return [ANY]
  const { name } = node.parent
  const element = at !== undefined && ts.isArrayBindingPattern(name) ? name.elements[at] : undefined
  const pattern = element !== undefined && ts.isBindingElement(element) ? element.name : at === undefined ? name : undefined
  return pattern !== undefined && ts.isObjectBindingPattern(pattern) ? namesBound(pattern) : [ANY]
}

/**
 * Returns exports that no other file imports: `<file> <name>`. Paths of sources and importers are relative to the same
 * root.
 */
export function unusedExports(sources: ReadonlyMap<string, string>, importers: ReadonlyMap<string, string>): string[] {
  const imported = new Set([...importers].flatMap(([file, text]) => importedNames(file, text)))
  const unused: string[] = []
  for (const [file, text] of sources) {
    const module = file.replace(/\.tsx?$/, '')
    if (imported.has(`${module}#${ANY}`)) continue
    unused.push(...exportsOf(file, text).filter((name) => !imported.has(`${module}#${name}`)).map((name) => `${file} ${name}`))
  }
  return unused
}
