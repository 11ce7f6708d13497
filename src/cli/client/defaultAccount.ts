/**
 * Default account of a node, set by `coffer users use`: in the home of a node of this machine, in the list of nodes for a remote
 * one. COFFER_USER takes precedence over it.
 */
import { readFileSync, rmSync } from 'node:fs'
import { CommandError, type Hint } from '../framework/exit.js'
import type { Environment, Paths } from '../framework/paths.js'
import type { NamedNode } from './nodeRegistry.js'
import { readRegistry, writeRegistry } from './nodeRegistry.js'

/** An account by its id, which stays the same when it is renamed, and its name at the time. */
interface StoredAccount {
  username: string
  id: string
}

interface NodeOfCommand {
  env: Environment
  paths: Pick<Paths, 'defaultAccount'>
  remote?: NamedNode | undefined
}

/** Returns the stored default account of a node. @throws CommandError 1 for an unreadable file */
export function readDefaultAccount({ env, paths, remote }: NodeOfCommand): StoredAccount | undefined {
  if (remote !== undefined) return readRegistry(env).nodes[remote.name]?.user
  let text: string
  try {
    text = readFileSync(paths.defaultAccount, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined
    throw error
  }
  const stored = storedAccount(text)
  if (stored === undefined) {
    throw new CommandError(`The file ${paths.defaultAccount} cannot be read.`, { hint: ['Set the default account again', 'users', 'use', '<username>'] })
  }
  return stored
}

/** Stores the default account of a node; undefined removes it. */
export async function writeDefaultAccount({ env, paths, remote }: NodeOfCommand, account: StoredAccount | undefined): Promise<void> {
  if (remote !== undefined) {
    const { inUse, nodes } = readRegistry(env)
    const { user: _, ...node } = nodes[remote.name] ?? { url: remote.url }
    return writeRegistry(env, { inUse, nodes: { ...nodes, [remote.name]: { ...node, ...(account === undefined ? {} : { user: account }) } } })
  }
  if (account === undefined) return rmSync(paths.defaultAccount, { force: true })
  const { replaceConfigFile } = await import('../../server/config/editFile.js')
  replaceConfigFile(paths.defaultAccount, `${JSON.stringify({ username: account.username, id: account.id })}\n`)
}

/** Returns the place of the default account of a command's node. */
export const defaultAccountOf = (context: { env: Environment; remote?: NamedNode; readonly paths: Paths }): NodeOfCommand => {
  const { env, remote } = context
  return remote === undefined ? { env, paths: context.paths } : { env, remote, paths: { defaultAccount: '' } }
}

function storedAccount(text: string): StoredAccount | undefined {
  try {
    const { username, id } = JSON.parse(text) as Partial<StoredAccount>
    return typeof username === 'string' && typeof id === 'string' ? { username, id } : undefined
  } catch {
    return undefined
  }
}

/** The account that commands without `--user` mean, before the accounts of the node are known. */
export interface AccountChoice {
  /** Value of COFFER_USER. */
  readonly variable?: string
  /** Returns the stored default account. */
  stored(): StoredAccount | undefined
  /** Prints on stderr, once, as which account a command runs. */
  note(text: string): void
}

/** Creates the choice for a node; `note` prints for people. */
export function accountChoice(place: NodeOfCommand, note: (text: string) => void): AccountChoice {
  const variable = place.env['COFFER_USER'] ?? ''
  let isNoted = false
  return {
    ...(variable === '' ? {} : { variable }),
    stored: () => readDefaultAccount(place),
    note(text) {
      if (!isNoted) note(text)
      isNoted = true
    },
  }
}

/** Names of an account, as users.names and users.list return them. */
export interface AccountNames {
  username: string
  id: string
  formerUsernames: readonly string[]
}

/** Finds an account by its current or a former name. */
export function accountByName<T extends AccountNames>(users: readonly T[], name: string): T | undefined {
  const wanted = name.toLowerCase()
  return users.find(({ username, id }) => username === wanted || id === name) ?? users.find(({ formerUsernames }) => formerUsernames.includes(wanted))
}

/** Finds the stored default account: by its id, else by its name, for an account that was imported again. */
export const accountOfDefault = <T extends AccountNames>(users: readonly T[], { id, username }: StoredAccount): T | undefined =>
  users.find((user) => user.id === id) ?? accountByName(users, username)

/** The account that a choice selects, and why. */
export interface SelectedAccount<T> {
  account: T
  by: 'COFFER_USER' | 'default account'
}

/** Returns the selected account for display; the problem instead of an error, and nothing without a selection. */
export function selectionOf<T extends AccountNames>(users: readonly T[], choice: AccountChoice | undefined): SelectedAccount<T> | { problem: string; hint?: Hint } | { none: true } {
  try {
    return selectedAccount(users, choice) ?? { none: true }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { problem: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
  }
}

/**
 * Returns the account that COFFER_USER or the stored default selects; undefined without either.
 * @throws CommandError 5 when it does not exist
 */
export function selectedAccount<T extends AccountNames>(users: readonly T[], choice: AccountChoice | undefined): SelectedAccount<T> | undefined {
  const { variable } = choice ?? {}
  if (variable !== undefined) {
    const account = accountByName(users, variable)
    if (account !== undefined) return { account, by: 'COFFER_USER' }
    throw new CommandError(`COFFER_USER is ${JSON.stringify(variable)}, which is no account of this node.`, { exit: 5, unknown: { kind: 'user', word: variable } })
  }
  const stored = choice?.stored()
  if (stored === undefined) return undefined
  const account = accountOfDefault(users, stored)
  if (account !== undefined) return { account, by: 'default account' }
  throw new CommandError(`The default account ${stored.username} no longer exists.`, {
    exit: 5,
    hint: users.length > 1 ? ['Choose another one', 'users', 'use', '<username>'] : ['Remove the default', 'users', 'use', '--clear'],
  })
}
