import { command } from '../../command.js'
import { readRegistry } from '../../client/nodeRegistry.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer nodes list`. */
export const list = command({
  path: ['nodes', 'list'],
  summary: 'List the remote nodes known on this machine',
  description: 'Does not contact the nodes; to check one, use coffer nodes whoami --node <name>.',
  examples: [
    { type: 'coffer nodes list', description: 'list as a table' },
    { type: 'coffer nodes list -q', description: 'print only the names, one per line' },
  ],
  json: '{"nodes":[{"name","url","keyIn","inUse"}]}, keyIn file or keychain',
  reach: 'none',
  offline: true,
  async run({ out, env }) {
    const { inUse, nodes: known } = readRegistry(env)
    const nodes = Object.entries(known)
      .map(([name, { url, key }]) => ({ name, url, keyIn: key === undefined ? 'keychain' : 'file', inUse: name === inUse }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    await out.list(
      { nodes },
      {
        columns: [
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'ADDRESS', cell: ({ url }) => url, shrinks: true },
          { title: 'KEY IN', cell: ({ keyIn }) => keyIn, drops: true },
          { title: 'IN USE', cell: (node) => (node.inUse ? 'yes' : '—'), drops: 'late' },
        ],
        rows: nodes,
        id: ({ name }) => name,
        count: counted(nodes.length, 'node'),
      },
    )
    if (nodes.length === 0) out.note('Add one: coffer nodes add nas https://nas.example.org')
  },
})
