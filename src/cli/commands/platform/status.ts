import { command } from '../../command.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { bytes, counted } from '../../terminal/output/format.js'

/** Seconds before its expiry in which a certificate should be renewed. */
const RENEW_SECONDS = 30 * 86_400

/** `coffer platform status`. */
export const status = command({
  path: ['platform', 'status'],
  summary: 'Show the platform of this node, and the members of its registry',
  description:
    'The cores of a platform share a registry in etcd: unique names, the list of cores, invitations and other small records. It works while a majority of the members answers. Without it, accounts are served, but names cannot be claimed.\n\n' +
    'The lag counts the changes of the registry since the latest one that this core received; changes that do not concern it, such as names of other cores, count too. Exits with 69 if no majority of the members answers, or a member has an alarm, such as NOSPACE: its database is full, and etcd refuses changes.',
  examples: [{ type: 'coffer platform status', description: 'show the platform' }],
  json: '{"platform","core","isReachable","lag","unsettled","canAddCores","pendingAck","cores","liveCores","certificateExpires","members":[{"endpoint","problem","version","isLeader","dbBytes","alarms"}]}',
  offline: true,
  async run({ out, connect, commandFor, now }) {
    const client = await connect()
    const answer = await client.call('platform.status', {}, {})
    const { members, platform, lag, unsettled, certificateExpires } = answer
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
        if (certificateExpires !== null && certificateExpires < now() + RENEW_SECONDS) {
          out.warn(`The certificate of this core for etcd ${certificateExpires < now() ? 'expired' : 'expires'} at ${out.time(certificateExpires)}. Renew it on the core that adds others: coffer platform issue-certificate ${answer.core} --to <dir>`)
        }
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
