import { command } from '../../command.js'
import { accessNamed } from '../../client/access.js'
import { listOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer accesses revoke`. */
export const revoke = command({
  path: ['accesses', 'revoke'],
  summary: 'Take an access back, at once',
  description: 'Its token is refused from now on. Of an app, what the app has shared goes with it. A consent to an OAuth client and the access tokens that the client has by it end together.',
  arguments: { access: text('Its id or name', { required: true, names: 'access' }) },
  options: { user: userOption },
  examples: [{ type: `coffer accesses revoke 'Dr Weber'`, says: 'by name' }],
  json: '{"accessDeletion":{"id"},"relatedDeletions":[{"id"}]}, the result of accesses.delete',
  offline: true,
  async run({ out, connect }, { access, user }) {
    const client = await connect()
    const as = await accountOf(client, user)
    const found = await accessNamed(client, as, access)
    const id = textOf(found['id'])
    const answer = await client.call('accesses.delete', { id }, as)
    const related = listOf(answer['relatedDeletions']).length
    const more = related === 0 ? '' : `, and ${counted(related, 'access', 'accesses')} that end with it`
    await out.result(answer, { id, print: () => out.done(`Access ${textOf(found['name'])} taken back${more}.`) })
  },
})
