/** Which node a command goes to. */
import type { GlobalFlags } from '../command.js'
import { usageError } from '../framework/exit.js'
import type { Environment } from '../framework/paths.js'
import { LOCAL, namedNode, readRegistry, type NamedNode, type Registry } from './nodeRegistry.js'

type Flags = Pick<GlobalFlags, 'node' | 'home' | 'config'>

/**
 * The node of another machine that is meant; undefined: that of this machine. `--node` says it, else `--home`, `--config`
 * and COFFER_HOME mean this machine, else it is the node in use.
 * @throws CommandError 2 when two nodes are named, 5 for an unknown one
 */
export async function targetOf(flags: Flags, env: Environment): Promise<NamedNode | undefined> {
  const named = targetNamed(flags, env)
  return named === undefined ? undefined : namedNode(named.registry, named.name)
}

/** Its name, with the list that has it. */
export function targetNamed({ node, home, config }: Flags, env: Environment): { name: string; registry: Registry } | undefined {
  if (node === LOCAL) return undefined
  if (node !== undefined) {
    if (home !== undefined || config !== undefined) throw usageError('--node names a node of another machine, --home and --config one of this machine')
    return { name: node, registry: readRegistry(env) }
  }
  if (home !== undefined || config !== undefined || (env['COFFER_HOME'] ?? '') !== '') return undefined
  const registry = readRegistry(env)
  return registry.inUse === null ? undefined : { name: registry.inUse, registry }
}
