import { command } from '../../command.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { bytes, counted } from '../../terminal/output/format.js'

/** `coffer platform status`. */
export const status = command({
  path: ['platform', 'status'],
  summary: 'Show the platform of this node, and the members of its registry',
  description:
    'The cores of a platform share a registry in etcd: unique names, the list of cores, invitations and other small records. It works while a majority of the members answers. Without it, accounts are served, but names cannot be claimed.\n\n' +
    'The lag is the number of changes that this core has not seen yet; it is normally 0. Exits with 69 if no majority of the members answers, or a member has an alarm, such as NOSPACE: its database is full, and etcd refuses changes.',
  examples: [{ type: 'coffer platform status', description: 'show the platform' }],
  json: '{"platform","core","isReachable","lag","unsettled","canAddCores","pendingAck","cores","liveCores","members":[{"endpoint","problem","version","isLeader","dbBytes","alarms"}]}',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('platform.status', {}, {})
    const { members, platform, lag, unsettled } = answer
    const answering = members.filter(({ problem }) => problem === null).length
    const alarms = [...new Set(members.flatMap((member) => member.alarms))]
    const hasMajority = answering * 2 > members.length
    await out.result(answer, {
      id: platform ?? answer.core,
      print: async () => {
        if (platform === null) {
          await out.line('This node is the only core of its platform.')
          return out.note(`Make it the first of several: ${commandFor('platform', 'init', '--help')}`)
        }
        await out.line(`Platform ${platform}, core ${answer.core}${answer.canAddCores ? ', which adds others' : ''}`)
        await out.line(`  Cores     ${answer.cores}, ${answer.liveCores} running`)
        await out.line(`  Lag       ${lag === null ? 'unknown' : counted(lag, 'change')}`)
        for (const [at, member] of members.entries()) await out.line(`  ${(at === 0 ? 'etcd' : '').padEnd(10)}${memberText(member)}`)
        if (unsettled > 0) out.warn(`${counted(unsettled, 'change')} of names ${unsettled === 1 ? 'is' : 'are'} not confirmed yet.`)
        if (answer.pendingAck) out.warn(`This core has not acknowledged that it joined: ${commandFor('cores', 'ack')}`)
        if (!hasMajority) out.warn(`Only ${counted(answering, 'member')} of ${members.length} ${answering === 1 ? 'answers' : 'answer'}: names cannot be claimed.`)
        if (alarms.length > 0) out.warn(`etcd has the alarm ${alarms.join(', ')}.`)
      },
    })
    return platform !== null && (!hasMajority || alarms.length > 0) ? 69 : undefined
  },
})

type Member = ResultOf<'platform.status'>['members'][number]

/** Formats a member of etcd on one line. */
function memberText({ endpoint, problem, isLeader, version, dbBytes, alarms }: Member): string {
  const facts = problem === null ? [isLeader === true ? 'leader' : '', version ?? '', dbBytes === null ? '' : bytes(dbBytes), ...alarms] : [problem]
  return `${endpoint}  ${facts.filter((fact) => fact !== '').join(', ')}`
}
