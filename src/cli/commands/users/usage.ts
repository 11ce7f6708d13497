import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { accountOf, userArgument } from '../../client/user.js'
import { ago, amount, bytes } from '../../terminal/output/format.js'
import type { ResultOf } from '../../client/nodeClient.js'

type Usage = ResultOf<'users.usage'>['usage']

/** `coffer users usage`. */
export const usage = command({
  path: ['users', 'usage'],
  summary: 'Show storage, limits and calls of an account',
  description:
    'Records are measured by their size on disk, files by their size. Calls are those of active accesses: personal and app accesses by name, shared ones combined.',
  arguments: { username: userArgument },
  examples: [
    { type: 'coffer users usage ana-lovelace', description: 'sizes, limits, calls' },
    { type: 'coffer users usage ana-lovelace -q', description: 'print only the total bytes of records and files' },
  ],
  json: '{"usage":{"username","storageUsed":{"dbDocuments","attachedFiles"},"limits","ownLimits","lastAccess","callsTotal","callsDetail","callsPerAccess"}}',
  offline: true,
  async run({ out, connect, now }, { username: given }) {
    const client = await connect()
    const { user: username } = await accountOf(client, given)
    const answer = await client.call('users.usage', { username }, {})
    const { dbDocuments, attachedFiles } = answer.usage.storageUsed
    await out.result(answer, {
      id: String(dbDocuments + attachedFiles),
      print: () => writeUsage(out, answer.usage, now()),
    })
  },
})

/** Writes sizes, limits and calls. */
export async function writeUsage(out: Context['out'], usage: Usage, now: number): Promise<void> {
  const { storageUsed: used, limits, ownLimits: own } = usage
  const size = (what: 'dbDocuments' | 'attachedFiles'): string => {
    const limit = limits[what]
    const note = Object.hasOwn(own, what) ? ' (set for this account)' : ''
    return `${bytes(used[what])}${limit === null ? ', no limit' : ` of ${bytes(limit)}`}${note}`
  }
  await out.line(usage.username)
  await out.line(`  Records    ${size('dbDocuments')}`)
  await out.line(`  Files      ${size('attachedFiles')}`)
  await out.line(`  Last seen  ${ago(usage.lastAccess === 0 ? undefined : usage.lastAccess, now)}`)
  await out.line(`  Calls      ${amount(usage.callsTotal)}`)
  for (const [name, n] of nonZero(usage.callsPerAccess)) await out.line(`    ${n}  by ${name}`)
  for (const [method, n] of nonZero(usage.callsDetail)) await out.line(`    ${n}  ${method.replace(':', '.')}`)
}

/** Returns names with their number of calls, without those that have none. */
const nonZero = (counts: Readonly<Record<string, number>>): [string, string][] =>
  Object.entries(counts).filter(([, n]) => n > 0).map(([name, n]) => [name, amount(n)])
