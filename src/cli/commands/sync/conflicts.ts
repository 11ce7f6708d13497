import { command, type Context } from '../../command.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'

/** `coffer sync conflicts`. */
export const conflicts = command({
  path: ['sync', 'conflicts'],
  summary: 'List where edits on two nodes met, and what was not taken',
  description:
    'When one thing was changed on two nodes before they met, every node shows the same of the two values; the other is listed here, from the history of the item. Of an access, permissions become what both values allow, and the earlier end counts. An access whose token was chosen for another one on another node has ended: under "token" stands the access that has the token now, which allows what both allowed. Streams that ended up with one name, below one another in a circle, or below a stream that is gone, are shown otherwise than they were written, alike on every node. What a peer sent and this node did not take is listed with the reason, and so is what is put aside: items of this node that are beyond a limit of the exchange, which the peer does not have as they are here.\n\n' +
    'To settle a conflict, change the item to what it should be. An item that is put aside goes once nothing of it is beyond the limit; often that means to create it again, smaller, and to delete it.',
  options: { user: userOption, limit: whole('How many of each at most', { from: 1, to: 10_000 }) },
  examples: [
    { type: 'coffer sync conflicts', says: 'of all accounts' },
    { type: 'coffer sync conflicts --json | jq .refused', says: 'what was not taken' },
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

async function print({ out }: Context, answer: Record_): Promise<void> {
  const [met, renamed, refused, aside] = ['conflicts', 'renamed', 'refused', 'putAside'].map((name) => listOf(answer[name])) as [Record_[], Record_[], Record_[], Record_[]]
  for (const conflict of met) {
    await out.line(`${textOf(conflict['kind'])} ${textOf(conflict['id'])}  of ${textOf(conflict['user'])}, met ${when(numberOf(conflict['at']) ?? 0)}`)
    for (const { field, shown: displayed, others } of listOf(conflict['fields'])) {
      await out.line(`  ${fieldWords(textOf(field))}: ${valueText(displayed)}`)
      for (const other of Array.isArray(others) ? others : []) await out.line(`  ${' '.repeat(fieldWords(textOf(field)).length)}  not shown: ${valueText(other)}`)
    }
  }
  for (const { id, user, shown: displayed, says: text } of renamed) {
    const [is, was] = [recordOf(displayed), recordOf(text)]
    const moved = was['parentId'] !== undefined && was['parentId'] !== is['parentId'] ? `, below ${textOf(was['parentId']) || 'nothing'}` : ''
    await out.line(`stream ${textOf(id)}  of ${textOf(user)}, shown as ${valueText(is['name'])}, was written as ${valueText(was['name'] ?? is['name'])}${moved}`)
  }
  for (const each of refused) {
    await out.line(`${textOf(each['kind'])} ${idText(each['id'])}  from ${textOf(each['peer'])}, not taken: ${textOf(each['message']) || textOf(each['reason'])}`)
  }
  for (const each of aside) {
    await out.line(`${textOf(each['kind'])} ${idText(each['id'])}  of ${textOf(each['user'])}, put aside, not on ${textOf(each['peer'])}: ${textOf(each['message'])}`)
  }
  const count = `${counted(met.length, 'conflict')}, ${counted(renamed.length, 'stream')} shown otherwise, ${counted(refused.length, 'item')} not taken, ${counted(aside.length, 'item')} put aside`
  out.note(count)
}

const MAX_ID_LENGTH = 80

/** Shortens an id that is too long to display. */
const idText = (value: unknown): string => {
  const id = textOf(value)
  return id.length > MAX_ID_LENGTH ? `${id.slice(0, MAX_ID_LENGTH)}… (${id.length} characters)` : id
}

/** `content`, `stream heart`, `tag blue`. */
function fieldWords(field: string): string {
  const kinds: Readonly<Record<string, string>> = { s: 'stream', t: 'tag', a: 'file', c: 'client data' }
  const kind = field.charAt(1) === ':' ? kinds[field.charAt(0)] : undefined
  return kind === undefined ? (field === 'body' ? 'content' : field) : `${kind} ${field.slice(2)}`
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))
