import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { text } from '../../framework/option.js'
import { ago, amount, bytes } from '../../terminal/output/format.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

/** `coffer users usage`. */
export const usage = command({
  path: ['users', 'usage'],
  summary: 'Show storage, limits and calls of an account',
  description:
    'Records are measured by their size on disk, files by their size. Calls are those of active accesses: personal and app accesses by name, shared ones combined.',
  arguments: { username: text('Username of the account', { required: true, names: 'user' }) },
  examples: [
    { type: 'coffer users usage ana-lovelace', description: 'sizes, limits, calls' },
    { type: 'coffer users usage ana-lovelace -q', description: 'print only the total bytes of records and files' },
  ],
  json: '{"usage":{"username","storageUsed":{"dbDocuments","attachedFiles"},"limits","ownLimits","lastAccess","callsTotal","callsDetail","callsPerAccess"}}',
  offline: true,
  async run({ out, connect, now }, { username }) {
    const client = await connect()
    const answer = await client.call('users.usage', { username }, {})
    const found = recordOf(answer['usage'])
    const { dbDocuments, attachedFiles } = recordOf(found['storageUsed'])
    await out.result(answer, {
      id: String((numberOf(dbDocuments) ?? 0) + (numberOf(attachedFiles) ?? 0)),
      print: () => writeUsage(out, found, now()),
    })
  },
})

/** Writes sizes, limits and calls. */
export async function writeUsage(out: Context['out'], usage: Record_, now: number): Promise<void> {
  const used = recordOf(usage['storageUsed'])
  const limits = recordOf(usage['limits'])
  const own = recordOf(usage['ownLimits'])
  const size = (what: string): string => {
    const limit = numberOf(limits[what])
    const owner = Object.hasOwn(own, what) ? ' (set for this account)' : ''
    return `${bytes(numberOf(used[what]) ?? 0)}${limit === undefined ? ', no limit' : ` of ${bytes(limit)}`}${owner}`
  }
  await out.line(textOf(usage['username']))
  await out.line(`  Records    ${size('dbDocuments')}`)
  await out.line(`  Files      ${size('attachedFiles')}`)
  const last = numberOf(usage['lastAccess']) ?? 0
  await out.line(`  Last seen  ${ago(last === 0 ? undefined : last, now)}`)
  await out.line(`  Calls      ${amount(numberOf(usage['callsTotal']) ?? 0)}`)
  for (const [name, n] of called(usage['callsPerAccess'])) await out.line(`    ${n}  by ${name}`)
  for (const [method, n] of called(usage['callsDetail'])) await out.line(`    ${n}  ${method.replace(':', '.')}`)
}

/** Returns names with their number of calls, without those that have none. */
function called(counts: unknown): [string, string][] {
  const all = Object.entries(recordOf(counts)).map(([name, n]): [string, number] => [name, numberOf(n) ?? 0])
  return all.filter(([, n]) => n > 0).map(([name, n]) => [name, amount(n)])
}
