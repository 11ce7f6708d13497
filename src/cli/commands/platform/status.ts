import { command } from '../../command.js'
import { bytes, counted } from '../../terminal/output/format.js'

/** `coffer platform status`. */
export const status = command({
  path: ['platform', 'status'],
  summary: 'Show the platform of this node, and the members of its registry',
  description:
    'The cores of a platform share a registry in etcd: unique names, the list of cores, invitations and other small records. It works while a majority of the members answers. Without it, accounts are served, but names cannot be claimed.\n\n' +
    'Exits with 69 if the majority of the members does not answer, or is not healthy: it has no leader, or an alarm is raised, such as that of a full disk.',
  examples: [{ type: 'coffer platform status', description: 'show the platform' }],
  json: '{"platform","core","isShared","canAddCores","pendingAck","cores","liveCores","members":[{"endpoint","problem","version","healthy","isLeader","dbBytes"}]}',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('platform.status', {}, {})
    const { members, platform } = answer
    const well = members.filter(({ healthy }) => healthy === true).length
    await out.result(answer, {
      id: platform ?? answer.core,
      print: async () => {
        if (platform === null) {
          await out.line('This node is the only core of its platform.')
          return out.note(`Make it the first of several: ${commandFor('platform', 'init', '--help')}`)
        }
        await out.line(`Platform ${platform}, core ${answer.core}${answer.canAddCores ? ', which adds others' : ''}`)
        await out.line(`  Cores     ${answer.cores}, ${answer.liveCores} running`)
        for (const [at, member] of members.entries()) {
          const state = member.problem ?? [member.healthy === true ? 'healthy' : 'not healthy', member.isLeader === true ? 'leader' : '', member.version ?? '', member.dbBytes === null ? '' : bytes(member.dbBytes)].filter((part) => part !== '').join(', ')
          await out.line(`  ${(at === 0 ? 'etcd' : '').padEnd(10)}${member.endpoint}  ${state}`)
        }
        if (answer.pendingAck) out.warn(`This core has not acknowledged that it joined: ${commandFor('cores', 'ack')}`)
        if (well * 2 <= members.length) out.warn(`Only ${counted(well, 'member')} of ${members.length} ${well === 1 ? 'is' : 'are'} healthy: names cannot be claimed.`)
      },
    })
    return members.length > 0 && well * 2 <= members.length ? 69 : undefined
  },
})
