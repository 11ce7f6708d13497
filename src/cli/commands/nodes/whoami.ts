import { command } from '../../command.js'
import { runningNode } from '../../client/runningNode.js'
import { openRemote } from '../../client/remote.js'
import { targetOf } from '../../client/nodeTarget.js'
import { counted } from '../../terminal/output/format.js'

const TIMEOUT_MS = 20_000

/** `coffer nodes whoami`. */
export const whoami = command({
  path: ['nodes', 'whoami'],
  summary: 'Show which node commands go to, and check its URL and key',
  description: 'Anyone who runs commands acts as the operator of that node, and can act as any of its accounts.',
  examples: [
    { type: 'coffer nodes whoami', description: 'show the node in use' },
    { type: 'coffer nodes whoami --node nas', description: 'check whether that node answers' },
  ],
  json: '{"node","url","home","running","version","accounts"}; node is null and home its folder for the node of this machine',
  reach: 'none',
  offline: true,
  async run({ out, env, flags, paths }) {
    const remote = await targetOf(flags, env)
    const timeoutMs = flags.timeoutMs ?? TIMEOUT_MS
    const client = remote === undefined ? await runningNode(paths, timeoutMs) : await openRemote(remote, timeoutMs)
    const status = await client?.call('node.status', {}, {})
    await client?.close()
    const place = remote === undefined ? { node: null, url: status?.url ?? null, home: paths.home } : { node: remote.name, url: remote.url, home: null }
    const nodeState = { running: client !== undefined, version: status?.version ?? null, accounts: status?.accounts ?? null }
    await out.result(
      { ...place, ...nodeState },
      {
        id: remote?.name ?? 'local',
        print: async () => {
          await out.line(remote === undefined ? `Node of this machine: ${paths.home}` : `${remote.name}, ${remote.url}`)
          const running = `  coffer ${nodeState.version ?? ''} is running, with ${counted(nodeState.accounts ?? 0, 'account')}; you are its operator`
          await out.line(client === undefined ? '  Not running; commands that work offline open its store' : running)
        },
      },
    )
  },
})
