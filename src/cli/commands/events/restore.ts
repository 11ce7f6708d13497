import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { historyOf, keepHistoryHint, writers } from '../../history/load.js'
import { changeLines, changesBetween, isWhole, madeAt, updateTo } from '../../history/versions.js'
import type { History } from '../../history/load.js'
import type { Version } from '../../history/versions.js'
import { confirm } from '../../terminal/input/confirm.js'
import { timeOption } from '../../terminal/input/time.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { numberOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { flag, text, whole } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { eventOf } from './fields.js'

/** `coffer events restore`. */
export const restore = command({
  path: ['events', 'restore'],
  summary: 'Make an event say again what it said in an earlier version',
  description:
    'Back to the version before the last change, or to the one that --to-version or --at names. It is a change like any other: what the event says now stays in its history. Files that were added or removed stay as they are, and an event that was deleted cannot come back. What would change is shown, and asked about first.',
  arguments: { id: text('The event', { required: true, names: 'event' }) },
  options: {
    toVersion: whole('The version, by the number that coffer events history shows', { from: 1 }),
    at: timeOption('The version that it had at this time'),
    dryRun: flag('Only show what would change', { short: 'n' }),
    yes: flag('Do not ask'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events restore ckq2v8x0a0000abcd1234efgh', says: 'take the last change back' },
    { type: 'coffer events restore ckq2v8x0a0000abcd1234efgh --at yesterday --dry-run', says: 'what would change' },
    { type: 'coffer events restore ckq2v8x0a0000abcd1234efgh --to-version 2 --yes', says: 'for scripts' },
  ],
  json: '{"event":{…},"restored":version,"update":{…}}: "update" is what was changed, empty when nothing differed; with "dryRun" after --dry-run',
  offline: true,
  async run(context, { id, toVersion, at, dryRun, yes, user, access }) {
    const { out, connect, terminal } = context
    if (toVersion !== undefined && at !== undefined) throw usageError('--to-version and --at exclude each other')
    const client = await connect()
    const as = await authorityOf(client, { user, access })
    const history = await historyOf(client, as, id)
    const { answer } = history
    const now = eventOf(answer)
    const then = chosen(context, id, history, { toVersion, at })
    const changes = changesBetween(now, then.event)
    const update = updateTo(now, then.event)
    const document = { event: now, restored: then.number, update, ...(dryRun ? { dryRun: true } : {}) }
    if (Object.keys(update).length === 0) {
      return out.result(document, { id, print: () => out.note(`The event ${id} says what version ${then.number} says; nothing to change`) })
    }
    const about = `version ${then.number}, of ${when(madeAt(then.event))} by ${(await writers(client, as))(then.event['modifiedBy'])}`
    out.note(`Back to ${about}:`)
    for (const line of changeLines(changes.filter(({ field }) => field !== 'attachments'))) out.note(`  ${line}`)
    if (changes.some(({ field }) => field === 'attachments')) out.warn('Its files were others then; they stay as they are now.')
    if (dryRun) return out.result(document, { id, print: () => out.done('Nothing was changed') })
    await confirm(terminal, `Restore the event ${id}?`, yes)
    const restored = await client.call('events.update', { id, update }, as)
    await out.result({ ...document, event: restored['event'] }, { id, print: () => out.done(`Event ${id} is back to version ${then.number}`) })
    return undefined
  },
})

/** The version to go back to. @throws CommandError 5 when it is not there, or the event is gone */
function chosen(context: Context, id: string, { versions, from }: History, options: { toVersion?: number | undefined; at?: number | undefined }): Version {
  const current = versions[versions.length - 1]
  const deleted = numberOf(current?.event['deleted'])
  if (current === undefined || deleted !== undefined) {
    throw new CommandError(`The event ${id} was deleted on ${when(deleted ?? 0)}; what is deleted cannot come back.`, {
      exit: 5,
      hint: 'A backup that is older still has it: coffer backup list',
    })
  }
  const { toVersion, at } = options
  const earlier = versions.length > 1
  if (!earlier && toVersion !== 1 && !(at !== undefined && madeAt(current.event) <= at)) throw noHistory(context, id, current.event, from)
  const found =
    toVersion !== undefined
      ? versions[toVersion - 1]
      : at === undefined
        ? versions[versions.length - 2]
        : versions.findLast(({ event }) => madeAt(event) <= at)
  if (found === undefined) throw notThere(id, versions, at)
  if (!isWhole(found.event)) throw new CommandError(`What version ${found.number} of the event ${id} said is erased.`, { exit: 5 })
  return found
}

function noHistory(context: Context, id: string, event: Record_, from: History['from']): CommandError {
  const isUnchanged = madeAt(event) === numberOf(event['created'])
  const why = isUnchanged ? 'it was never changed' : 'the interface shows accesses none'
  return new CommandError(`There is no earlier version of the event ${id}: ${why}.`, {
    exit: 5,
    ...(isUnchanged || from === 'changes' ? {} : { hint: keepHistoryHint(context) }),
  })
}

function notThere(id: string, versions: readonly Version[], at: number | undefined): CommandError {
  const message =
    at === undefined
      ? `The event ${id} has ${versions.length} versions.`
      : `No version of the event ${id} is as old as ${when(at)}; the oldest is of ${when(madeAt(versions[0]?.event ?? {}))}.`
  return new CommandError(message, { exit: 5, hint: ['See', 'events', 'history', id] })
}
