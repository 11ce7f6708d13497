/**
 * The nodes of other machines that commands know by name: `nodes.json` in the configuration folder of the person, mode
 * 0600. The operator key of each lies there too, or in the keychain of the system.
 */
import { readFileSync } from 'node:fs'
import { Secret } from '../../store/model/secret.js'
import { CommandError } from '../framework/exit.js'
import { keychainProblem } from '../terminal/output/keychainProblem.js'
import { nodesFile } from '../framework/paths.js'
import type { Environment } from '../framework/paths.js'

/** Means the node of this machine wherever a name is taken. */
export const LOCAL = 'local'

/** A node that is ready to be talked to. */
export interface NamedNode {
  name: string
  /** Its address, with a slash at its end. */
  url: string
  /** Its operator key. */
  key: Secret<string>
}

/** What is kept of a node. */
export interface KnownNode {
  url: string
  /** The operator key; absent when the keychain of the system has it. */
  key?: string
}

export interface Registry {
  /** The node that commands go to when they name none; null: that of this machine. */
  inUse: string | null
  nodes: Record<string, KnownNode>
}

/**
 * What is known. Nothing, where nothing was ever added.
 * @throws CommandError when the file cannot be read, or holds something else
 */
export function readRegistry(env: Environment): Registry {
  const file = nodesFile(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return { inUse: null, nodes: {} }
    throw damaged(file, cause)
  }
  try {
    const { inUse, nodes } = JSON.parse(text) as Partial<Registry>
    if (!Object.values(nodes ?? {}).every(({ url, key }) => typeof url === 'string' && typeof (key ?? '') === 'string')) throw damaged(file)
    return { inUse: typeof inUse === 'string' && Object.hasOwn(nodes ?? {}, inUse) ? inUse : null, nodes: nodes ?? {} }
  } catch (cause) {
    throw damaged(file, cause)
  }
}

/** Keeps what is known, whole or not at all. */
export async function writeRegistry(env: Environment, { inUse, nodes }: Registry): Promise<void> {
  const { replaceConfigFile } = await import('../../server/config/editFile.js')
  replaceConfigFile(nodesFile(env), `${JSON.stringify({ inUse, nodes }, undefined, 2)}\n`)
}

/**
 * A node by its name, with its key.
 * @throws CommandError 5 when there is none of that name or the keychain has no key of it, 1 when the keychain cannot be used
 */
export async function namedNode({ nodes }: Registry, name: string): Promise<NamedNode> {
  const known = Object.hasOwn(nodes, name) ? nodes[name] : undefined
  if (known === undefined) throw unknownNode(name)
  const { url, key = await keyOf(name) } = known
  return { name, url, key: new Secret(key) }
}

/** @returns what is told of a name that nothing has */
export const unknownNode = (name: string): CommandError =>
  new CommandError(`There is no node ${JSON.stringify(name)}.`, { exit: 5, hint: 'See: coffer nodes list' })

/** The name under which the keychain of the system has the operator key of a node. */
export const keychainName = (name: string): string => `operator key of ${name}`

async function keyOf(name: string): Promise<string> {
  const { systemKeychain } = await import('../../store/keyring/keychain.js')
  const again = `Give it again: coffer nodes remove ${name}, and coffer nodes add`
  const key = await systemKeychain.read(keychainName(name)).catch((cause: unknown) => {
    throw keychainProblem(cause, again)
  })
  if (key === undefined) throw new CommandError(`The keychain of the system has no ${keychainName(name)}.`, { exit: 5, hint: again })
  return key
}

function damaged(file: string, cause?: unknown): CommandError {
  return new CommandError(`The list of nodes ${file} cannot be read.`, {
    cause,
    hint: 'Mend it or remove it: it holds the addresses and keys of coffer nodes, nothing else.',
  })
}
