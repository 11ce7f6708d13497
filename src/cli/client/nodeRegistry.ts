/**
 * Registry of remote nodes: `nodes.json` in the user's configuration folder, mode 0600. Operator keys are stored there, or
 * in the system keychain.
 */
import { readFileSync } from 'node:fs'
import { didYouMean, nearestNames } from '../../server/base/didYouMean.js'
import { Secret } from '../../store/model/secret.js'
import { CommandError } from '../framework/exit.js'
import { keychainProblem } from '../terminal/output/keychainProblem.js'
import { nodesFile, type Environment } from '../framework/paths.js'

/** Reserved name of the node of this machine. */
export const LOCAL = 'local'

/** A remote node with its credentials. */
export interface NamedNode {
  name: string
  /** Address with a trailing slash. */
  url: string
  /** Operator key. */
  key: Secret<string>
}

/** Stored entry of a node. */
interface KnownNode {
  url: string
  /** The operator key; absent when the system keychain has it. */
  key?: string
  /** Default account of commands on this node. */
  user?: { username: string; id: string }
}

export interface Registry {
  /** Default node of commands; null means the node of this machine. */
  inUse: string | null
  nodes: Record<string, KnownNode>
}

/**
 * Reads the registry; empty if none exists.
 * @throws CommandError when the file cannot be read or parsed
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

/** Writes the registry atomically. */
export async function writeRegistry(env: Environment, { inUse, nodes }: Registry): Promise<void> {
  const { replaceConfigFile } = await import('../../server/config/editFile.js')
  replaceConfigFile(nodesFile(env), `${JSON.stringify({ inUse, nodes }, undefined, 2)}\n`)
}

/**
 * Looks up a node by name, with its key.
 * @throws CommandError 5 when the node or its key in the keychain does not exist, 1 when the keychain is not usable
 */
export async function namedNode(registry: Registry, name: string): Promise<NamedNode> {
  const { nodes } = registry
  const known = Object.hasOwn(nodes, name) ? nodes[name] : undefined
  if (known === undefined) throw unknownNode(registry, name)
  const { url, key = await keyOf(name) } = known
  return { name, url, key: new Secret(key) }
}

/** Creates the error for an unknown node name, with the nearest known ones. */
export function unknownNode({ nodes }: Registry, name: string): CommandError {
  const near = nearestNames(name, [LOCAL, ...Object.keys(nodes)])
  const steps = [...(near.length === 0 ? [] : [didYouMean(near)]), 'List the nodes: coffer nodes list']
  return new CommandError(`There is no node ${JSON.stringify(name)}.`, { exit: 5, hint: steps.join('\n') })
}

/** Returns the keychain entry name for the operator key of a node. */
export const keychainName = (name: string): string => `operator key of ${name}`

async function keyOf(name: string): Promise<string> {
  const { systemKeychain } = await import('../../store/keyring/keychain.js')
  const addAgain = `Add it again: coffer nodes remove ${name}, then coffer nodes add`
  const key = await systemKeychain.read(keychainName(name)).catch((cause: unknown) => {
    throw keychainProblem(cause, addAgain)
  })
  if (key === undefined) throw new CommandError(`The system keychain has no ${keychainName(name)}.`, { exit: 5, hint: addAgain })
  return key
}

function damaged(file: string, cause?: unknown): CommandError {
  return new CommandError(`The list of nodes ${file} cannot be read.`, {
    cause,
    hint: 'Fix or remove it: it only contains the addresses and keys of coffer nodes.',
  })
}
