/** Selects the node of a command. */
import type { GlobalFlags } from '../command.js'
import { usageError } from '../framework/exit.js'
import type { Environment } from '../framework/paths.js'
import { LOCAL, namedNode, readRegistry, type NamedNode, type Registry } from './nodeRegistry.js'

type Flags = Pick<GlobalFlags, 'node' | 'home' | 'config'>

/**
 * Returns the remote node of a command; undefined means the node of this machine. `--node` comes first; `--home`,
 * `--config` and COFFER_HOME select this machine; else the default node of the registry applies.
 * @throws CommandError 2 for conflicting options, 5 for an unknown node
 */
export async function targetOf(flags: Flags, env: Environment): Promise<NamedNode | undefined> {
  const named = targetNamed(flags, env)
  return named === undefined ? undefined : namedNode(named.registry, named.name)
}

/** Returns the name of the remote node, with the registry that contains it. */
export function targetNamed({ node, home, config }: Flags, env: Environment): { name: string; registry: Registry } | undefined {
  if (node === LOCAL) return undefined
  if (node !== undefined) {
    if (home !== undefined || config !== undefined) throw usageError('--node selects a remote node; --home and --config select a node of this machine')
    return { name: node, registry: readRegistry(env) }
  }
  if (home !== undefined || config !== undefined || (env['COFFER_HOME'] ?? '') !== '') return undefined
  const registry = readRegistry(env)
  return registry.inUse === null ? undefined : { name: registry.inUse, registry }
}
