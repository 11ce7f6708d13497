import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { LOCAL, readRegistry, unknownNode, writeRegistry } from '../../client/nodeRegistry.js'

/** `coffer nodes use`. */
export const use = command({
  path: ['nodes', 'use'],
  summary: 'Say which node commands go to that name none',
  description:
    'local is the node of this machine, where commands go as long as nothing else is said. --node, --home and COFFER_HOME count more. Each command that goes to another machine says so first; some are about this machine alone, such as start, backup and config.',
  arguments: { name: text('The name of a node, or local', { required: true, names: 'node' }) },
  examples: [
    { type: 'coffer nodes use nas', says: 'from now on, commands go there' },
    { type: 'coffer nodes use local', says: 'to this machine again' },
  ],
  json: '{"inUse"}, null for this machine',
  reach: 'none',
  offline: true,
  async run({ out, env }, { name }) {
    const registry = readRegistry(env)
    if (name !== LOCAL && !Object.hasOwn(registry.nodes, name)) throw unknownNode(name)
    const inUse = name === LOCAL ? null : name
    await writeRegistry(env, { ...registry, inUse })
    await out.result(
      { inUse },
      { id: name, print: () => out.done(inUse === null ? 'Commands go to the node of this machine' : `Commands go to ${name}, ${registry.nodes[name]?.url ?? ''}`) },
    )
  },
})
