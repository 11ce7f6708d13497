/** Application directory: entries of the setting `appList`, and those managed with coffer apps, which take precedence. */
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import type { Context } from '../../call/context.js'
import { AppEntry } from '../../config/appEntry.js'

const FAMILY = 'app'

export type App = AppEntry & { id: string }

/** Format of ids, fit for a URL path. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,98}$/

/** Lists all applications, by id. */
export async function listApps(node: Context): Promise<App[]> {
  const found = new Map<string, App>()
  for (const [id, entry] of Object.entries(node.config.get('appList'))) found.set(id, { ...entry, id })
  for (const { id, value } of await node.registry.records.list(FAMILY)) found.set(id, { ...(value as AppEntry), id })
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns the entry of an application; undefined when there is none. */
export async function findApp(node: Context, id: string): Promise<App | undefined> {
  const stored = (await node.registry.records.get(FAMILY, id)) as AppEntry | undefined
  const list = node.config.get('appList')
  const entry = stored ?? (Object.hasOwn(list, id) ? list[id] : undefined)
  return entry === undefined ? undefined : { ...entry, id }
}

/**
 * Returns the entry of an application.
 * @throws Failure `unknown-resource`
 */
export async function appOf(node: Context, id: string): Promise<App> {
  const found = await findApp(node, id)
  if (found === undefined) throw new Failure('unknown-resource', `No application "${id}" in the directory.`)
  return found
}

/**
 * Adds an application.
 * @throws Failure `item-already-exists`, `invalid-parameters-format`
 */
export async function addApp(node: Context, id: string, input: unknown): Promise<App> {
  if (!ID.test(id)) {
    throw new Failure('invalid-parameters-format', 'An application id must have up to 99 letters, digits, dots, - and _.')
  }
  const entry = parseInput(AppEntry, input)
  const isListed = Object.hasOwn(node.config.get('appList'), id)
  await node.registry.records.change(FAMILY, id, (now) => {
    if (now !== undefined || isListed) {
      throw new Failure('item-already-exists', `An application "${id}" already exists.`, { id })
    }
    return { put: entry, result: undefined }
  })
  return { ...entry, id }
}

/**
 * Changes fields of an application; `null` removes one. An entry of the setting is copied into the directory.
 * @throws Failure `unknown-resource`, `invalid-parameters-format`
 */
export async function updateApp(node: Context, id: string, changes: Readonly<Record<string, unknown>>): Promise<App> {
  const list = node.config.get('appList')
  const entry = await node.registry.records.change(FAMILY, id, (now) => {
    const before = (now as AppEntry | undefined) ?? (Object.hasOwn(list, id) ? list[id] : undefined)
    if (before === undefined) throw new Failure('unknown-resource', `No application "${id}" in the directory.`)
    const merged = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null)
    const put = parseInput(AppEntry, Object.fromEntries(merged))
    return { put, result: put }
  })
  return { ...entry, id }
}

/**
 * Removes an application.
 * @throws Failure `unknown-resource`, `invalid-operation` for one of the setting
 */
export async function removeApp(node: Context, id: string): Promise<void> {
  const isListed = Object.hasOwn(node.config.get('appList'), id)
  await node.registry.records.change(FAMILY, id, (now) => {
    if (now !== undefined) return { put: null, result: undefined }
    if (!isListed) throw new Failure('unknown-resource', `No application "${id}" in the directory.`)
    throw new Failure('invalid-operation', `The application "${id}" is defined by the setting appList: remove it there.`)
  })
}
