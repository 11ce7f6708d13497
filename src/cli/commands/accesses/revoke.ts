import { command } from '../../command.js'
import { accessNamed } from '../../client/access.js'
import { textOf } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer accesses revoke`. */
export const revoke = command({
  path: ['accesses', 'revoke'],
  summary: 'Revoke an access immediately',
  description: 'Its token is rejected from now on. Revoking the access of an app also revokes what the app shared. Revoking the consent of an OAuth client also ends its access tokens.',
  arguments: { access: text('Id or name of the access', { required: true, names: 'access' }) },
  options: { user: userOption },
  examples: [{ type: `coffer accesses revoke 'Dr Weber'`, description: 'revoke by name' }],
  json: '{"accessDeletion":{"id"},"relatedDeletions":[{"id"}]}, the result of accesses.delete',
  offline: true,
  async run({ out, connect }, { access, user }) {
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'access', id: access })
    const found = await accessNamed(client, as, access)
    const id = textOf(found['id'])
    const answer = await client.call('accesses.delete', { id }, as)
    const related = (answer.relatedDeletions ?? []).length
    const more = related === 0 ? '' : ` with ${counted(related, 'access', 'accesses')} that depended on it`
    await out.result(answer, { id, print: () => out.done(`Access ${textOf(found['name'])} revoked${more}.`) })
  },
})
