import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { historyOf, keepHistoryHint, writers } from './versions/load.js'
import { changeLines, changesBetween, isWhole, modifiedAt, updateTo } from './versions/versions.js'
import type { History } from './versions/load.js'
import type { Version } from './versions/versions.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { timeOption } from '../../terminal/input/time.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { numberOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { flag, text, whole } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { eventOf } from './eventText.js'

/** `coffer events restore`. */
export const restore = command({
  path: ['events', 'restore'],
  summary: 'Revert an event to an earlier version',
  description:
    'Reverts to the version before the last change, or to the one given by --to-version or --at. The revert is an ordinary change: the current version stays in the history. Added or removed files stay as they are, and a deleted event cannot be restored. The changes are shown before you are asked to confirm.',
  arguments: { id: text('Event id', { required: true, names: 'event' }) },
  options: {
    toVersion: whole('Version number, as coffer events history shows it', { from: 1 }),
    at: timeOption('Version that was current at this time'),
    dryRun: flag('Only show what would change', { short: 'n' }),
    yes: yesOption(),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events restore ckq2v8x0a0000abcd1234efgh', description: 'undo the last change' },
    { type: 'coffer events restore ckq2v8x0a0000abcd1234efgh --at yesterday --dry-run', description: 'show what would change' },
    { type: 'coffer events restore ckq2v8x0a0000abcd1234efgh --to-version 2 --yes', description: 'for scripts' },
  ],
  json: '{"event":{…},"restored":version,"update":{…}}: "update" is what was changed, empty when nothing differs; with "dryRun" after --dry-run',
  offline: true,
  async run(context, { id, toVersion, at, dryRun, yes, user, access }) {
    const { out, connect, terminal } = context
    if (toVersion !== undefined && at !== undefined) throw usageError('--to-version and --at cannot be combined')
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id })
    const history = await historyOf(client, as, id)
    const { answer } = history
    const now = eventOf(answer)
    const then = versionFor(context, id, history, { toVersion, at })
    const changes = changesBetween(now, then.event)
    const update = updateTo(now, then.event)
    const document = { event: now, restored: then.number, update, ...(dryRun ? { dryRun: true } : {}) }
    if (Object.keys(update).length === 0) {
      return out.result(document, { id, print: () => out.note(`The event ${id} already equals version ${then.number}; nothing to change`) })
    }
    const about = `version ${then.number}, of ${when(modifiedAt(then.event))} by ${(await writers(client, as))(then.event['modifiedBy'])}`
    out.note(`Reverting to ${about}:`)
    for (const line of changeLines(changes.filter(({ field }) => field !== 'attachments'))) out.note(`  ${line}`)
    if (changes.some(({ field }) => field === 'attachments')) out.warn('Attached files differ in that version; they are not changed.')
    if (dryRun) return out.result(document, { id, print: () => out.done('Nothing was changed') })
    await confirm(terminal, `Revert the event ${id} to version ${then.number}?`, yes)
    const restored = await client.call('events.update', { id, update }, as)
    await out.result({ ...document, event: restored.event }, { id, print: () => out.done(`Event ${id} reverted to version ${then.number}`) })
    return undefined
  },
})

/** Finds the version to revert to. @throws CommandError 5 when it does not exist, or the event was deleted */
function versionFor(context: Context, id: string, { versions, from }: History, options: { toVersion?: number | undefined; at?: number | undefined }): Version {
  const current = versions[versions.length - 1]
  const deleted = numberOf(current?.event['deleted'])
  if (current === undefined || deleted !== undefined) {
    throw new CommandError(`The event ${id} was deleted on ${when(deleted ?? 0)}; deleted events cannot be restored.`, {
      exit: 5,
      hint: 'An older backup may still contain it: coffer backup list',
    })
  }
  const { toVersion, at } = options
  const hasEarlier = versions.length > 1
  if (!hasEarlier && toVersion !== 1 && !(at !== undefined && modifiedAt(current.event) <= at)) throw noHistory(context, id, current.event, from)
  const found =
    toVersion !== undefined
      ? versions[toVersion - 1]
      : at === undefined
        ? versions[versions.length - 2]
        : versions.findLast(({ event }) => modifiedAt(event) <= at)
  if (found === undefined) throw unknownVersion(id, versions, at)
  if (!isWhole(found.event)) throw new CommandError(`The content of version ${found.number} of the event ${id} was erased.`, { exit: 5 })
  return found
}

function noHistory(context: Context, id: string, event: Record_, from: History['from']): CommandError {
  const isUnchanged = modifiedAt(event) === numberOf(event['created'])
  const why = isUnchanged ? 'it was never changed' : 'the API shows none to accesses'
  return new CommandError(`The event ${id} has no earlier version: ${why}.`, {
    exit: 5,
    ...(isUnchanged || from === 'changes' ? {} : { hint: keepHistoryHint(context) }),
  })
}

function unknownVersion(id: string, versions: readonly Version[], at: number | undefined): CommandError {
  const message =
    at === undefined
      ? `The event ${id} has ${versions.length} versions.`
      : `No version of the event ${id} dates back to ${when(at)}; the oldest is from ${when(modifiedAt(versions[0]?.event ?? {}))}.`
  return new CommandError(message, { exit: 5, hint: ['List versions', 'events', 'history', id] })
}
