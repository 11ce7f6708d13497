import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { ago, bytes, when, factorWord } from '../../terminal/output/format.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import { emailLine } from './emailLine.js'

/** `coffer users show`. */
export const show = command({
  path: ['users', 'show'],
  summary: 'Show one account',
  arguments: { username: text('Username of the account', { required: true, names: 'user' }) },
  examples: [{ type: 'coffer users show ana-lovelace', description: 'show the details of an account' }],
  json: '{"user":{…}}, as in coffer users list',
  offline: true,
  async run({ out, connectToAccounts, now }, { username }) {
    const client = await connectToAccounts()
    const answer = await client.call('users.show', { username }, {})
    const user = recordOf(answer['user'])
    await out.result(answer, {
      id: textOf(user['username']),
      print: async () => {
        await out.line(textOf(user['username']))
        const [first, ...more] = listOf(user['emails']).map(emailLine)
        await out.line(`  Email      ${first ?? '—'}`)
        for (const line of more) await out.line(`             ${line}`)
        const formerly = Array.isArray(user['formerUsernames']) ? user['formerUsernames'].map(textOf) : []
        if (formerly.length > 0) await out.line(`  Formerly   ${formerly.join(', ')}`)
        await out.line(`  Language   ${textOf(user['language'])}`)
        await out.line(`  Address    ${textOf(user['apiEndpoint'])}`)
        await out.line(`  Created    ${when(numberOf(user['created']) ?? 0)}`)
        await out.line(`  Last seen  ${ago(numberOf(user['lastUsed']), now())}`)
        await out.line(`  Streams    ${textOf(user['streams'])}`)
        await out.line(`  Accesses   ${textOf(user['accesses'])}`)
        const { dbDocuments, attachedFiles } = recordOf(user['storageUsed'])
        await out.line(`  Size       ${bytes(numberOf(dbDocuments) ?? 0)}, plus files of ${bytes(numberOf(attachedFiles) ?? 0)}`)
        const auditSince = numberOf(user['auditSince'])
        if (auditSince !== undefined) await out.line(`  Audit      since ${when(auditSince)}; older records were removed`)
        const moved = recordOf(user['relocated'])
        if (textOf(moved['url']) !== '') await out.line(`  Moved to   ${textOf(moved['url'])}, redirected until ${when(numberOf(moved['until']) ?? 0)}`)
        await out.line(`  MFA        ${factorWord(user['mfa'])}`)
      },
    })
  },
})
