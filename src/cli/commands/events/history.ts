import { command } from '../../command.js'
import { historyOf, keepHistoryHint, writers } from './versions/load.js'
import { changeLines, isWhole, modifiedAt } from './versions/versions.js'
import type { Version } from './versions/versions.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { numberOf, textOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'
import { contentText } from './eventText.js'

/** `coffer events history`. */
export const history = command({
  path: ['events', 'history'],
  summary: 'Show earlier versions of an event, and who changed it',
  description:
    'Version 1 is the oldest, the last is the current event; each version shows the differences from the one before. All changes are listed, including those replicated from other nodes. Deleting an event erases its changes; what the setting versioning.deletionMode retains is then shown. With --access, shows the versions that the API shows to that access while versioning.forceKeepHistory is true. At most the latest 1,000 versions, about 32 MB in total, are shown. In a pipe: one version per line with its number, time, author, changed fields and content, separated by tabs.',
  arguments: { id: text('Event id', { required: true, names: 'event' }) },
  options: { ...actingAs },
  examples: [
    { type: 'coffer events history ckq2v8x0a0000abcd1234efgh', description: 'show all versions' },
    { type: "coffer events history ckq2v8x0a0000abcd1234efgh --jq '.versions[].changes'", description: 'for programs' },
  ],
  json: '{"event":{…},"versions":[{"version","modified","modifiedBy","by","event":{…},"changes":[{"field","before","after"}]}],"from"}: "by" is the name behind "modifiedBy"; "from" is "changes", or "records" for what the API shows to an access, or a deletion retained',
  offline: true,
  async run(context, { id, user, access }) {
    const { out, connect, terminal } = context
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id })
    const { answer, versions, from } = await historyOf(client, as, id)
    const nameOf = await writers(client, as)
    const by = ({ event }: Version): string => nameOf(event['modifiedBy'] ?? event['createdBy'])
    const document = {
      event: answer['event'],
      versions: versions.map((version) => ({
        version: version.number,
        modified: modifiedAt(version.event),
        modifiedBy: version.event['modifiedBy'],
        by: by(version),
        event: version.event,
        changes: version.changes,
      })),
      from,
    }
    if (terminal.outIsTerminal && !out.json && !out.quiet) {
      await out.line(id)
      for (const version of versions) for (const line of versionLines(version, by(version))) await out.line(line)
    } else {
      await out.list(document, {
        columns: [
          { title: 'VERSION', cell: ({ number }) => String(number) },
          { title: 'TIME', time: ({ event }) => modifiedAt(event) },
          { title: 'BY', cell: by },
          { title: 'CHANGED', cell: ({ changes }) => changes.map(({ field }) => field).join(',') },
          { title: 'CONTENT', cell: ({ event }) => contentText(event['content']) },
        ],
        rows: versions,
        id: ({ number }) => String(number),
      })
    }
    out.note(counted(versions.length, 'version'))
    if (from === 'records' && versions.length === 1) out.note(keepHistoryHint(context))
  },
})

function versionLines({ number, event, changes }: Version, by: string): string[] {
  const deleted = numberOf(event['deleted'])
  const head = `  ${String(number).padStart(3)}  ${when(modifiedAt(event))}${by === '' ? '' : ` by ${by}`}`
  const message = `${textOf(event['type'])} ${contentText(event['content'])}`.trim()
  const lines = !isWhole(event)
    ? [deleted === undefined ? 'content erased when the event was deleted' : `deleted on ${when(deleted)}`]
    : changes.length > 0
      ? changeLines(changes)
      : [number === 1 ? message : 'unchanged']
  return [head, ...lines.map((line) => `       ${line}`)]
}
