import { command, type Context } from '../../command.js'
import { textOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sync conflicts`. */
export const conflicts = command({
  path: ['sync', 'conflicts'],
  summary: 'List sync conflicts and rejected items',
  description:
    'If an item is changed on two nodes before they sync, all nodes pick the same value; the other one is listed here, from the history of the item. For an access, both sets of permissions are intersected and the earlier expiry applies. An access whose token was assigned to a different access on another node is ended; "token" then shows the access that has the token now, with the permissions common to both. Streams that end up with the same name, in a cycle, or below a deleted stream are displayed differently from how they were written, in the same way on every node. Changes of a peer that this node rejected are listed with the reason, and so are items that are put aside: items of this node beyond a sync limit, which the peer does not have in their current form.\n\n' +
    'To resolve a conflict, set the item to the correct value. An item that is put aside is sent once it is within the limit; often you need to create a smaller one and delete the original.',
  options: { user: userOption, limit: whole('Maximum number of each kind', { from: 1, to: 10_000 }) },
  examples: [
    { type: 'coffer sync conflicts', description: 'conflicts of all accounts' },
    { type: 'coffer sync conflicts --jq .refused', description: 'rejected items' },
  ],
  json:
    '{"conflicts":[{"user","kind","id","at","fields":[{"field","shown","others"}]}],"renamed":[{"user","id","shown":{"name","parentId"},"says":{…}}],"refused":[{"user","peer","kind","id","at","reason","message"}],"putAside":[…the same…]}',
  offline: true,
  async run(context, { user, limit }) {
    const { out, connect } = context
    const client = await connect()
    const params = { ...(user === undefined ? {} : { username: user }), ...(limit === undefined ? {} : { limit }) }
    const answer = await client.call('sync.conflicts', params, {})
    await out.result(answer, { print: () => print(context, answer) })
  },
})

async function print({ out }: Context, answer: ResultOf<'sync.conflicts'>): Promise<void> {
  const { conflicts: merged, renamed, refused, putAside: setAside } = answer
  for (const conflict of merged) {
    await out.line(`${conflict.kind} ${conflict.id}  of ${conflict.user}, merged ${out.time(conflict.at)}`)
    for (const { field, shown: current, others } of conflict.fields) {
      await out.line(`  ${fieldWords(field)}: ${valueText(current)}`)
      for (const other of Array.isArray(others) ? others : []) await out.line(`  ${' '.repeat(fieldWords(field).length)}  other value: ${valueText(other)}`)
    }
  }
  for (const { id, user, shown: current, says: text } of renamed) {
    const [is, was] = [current, text]
    const moved = was.parentId !== undefined && was.parentId !== is.parentId ? `, below ${was.parentId ?? 'nothing'}` : ''
    await out.line(`stream ${id}  of ${user}, displayed as ${valueText(is.name)}, written as ${valueText(was.name ?? is.name)}${moved}`)
  }
  for (const each of refused) {
    await out.line(`${each.kind} ${idText(each.id)}  from ${each.peer}, rejected: ${each.message || each.reason}`)
  }
  for (const each of setAside) {
    await out.line(`${each.kind} ${idText(each.id)}  of ${each.user}, put aside, not on ${each.peer}: ${each.message}`)
  }
  const count = `${counted(merged.length, 'conflict')}, ${counted(renamed.length, 'stream')} renamed or moved, ${counted(refused.length, 'item')} rejected, ${counted(setAside.length, 'item')} put aside`
  out.note(count)
}

const MAX_ID_LENGTH = 80

/** Shortens an id that is too long to display. */
const idText = (value: unknown): string => {
  const id = textOf(value)
  return id.length > MAX_ID_LENGTH ? `${id.slice(0, MAX_ID_LENGTH)}… (${id.length} characters)` : id
}

/** Formats a field: `content`, `stream heart`, `tag blue`. */
function fieldWords(field: string): string {
  const kinds: Readonly<Record<string, string>> = { s: 'stream', t: 'tag', a: 'file', c: 'client data' }
  const kind = field.charAt(1) === ':' ? kinds[field.charAt(0)] : undefined
  return kind === undefined ? (field === 'body' ? 'content' : field) : `${kind} ${field.slice(2)}`
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))
