import { command } from '../../command.js'
import { accountOf, userArgument } from '../../client/user.js'
import { ago, bytes, factorWord } from '../../terminal/output/format.js'
import { emailLine } from './emailLine.js'

/** `coffer users show`. */
export const show = command({
  path: ['users', 'show'],
  summary: 'Show one account',
  arguments: { username: userArgument },
  examples: [
    { type: 'coffer users show', description: 'show the only account, or the default one' },
    { type: 'coffer users show ana-lovelace', description: 'show the details of an account' },
  ],
  json: '{"user":{…}}, as in coffer users list',
  offline: true,
  async run({ out, connectToAccounts, now }, { username: given }) {
    const client = await connectToAccounts()
    const { user: username } = await accountOf(client, given)
    const answer = await client.call('users.show', { username }, {})
    const { user } = answer
    await out.result(answer, {
      id: user.username,
      print: async () => {
        await out.line(user.username)
        const [first, ...more] = user.emails.map(emailLine)
        await out.line(`  Email      ${first ?? '—'}`)
        for (const line of more) await out.line(`             ${line}`)
        if (user.formerUsernames.length > 0) await out.line(`  Formerly   ${user.formerUsernames.join(', ')}`)
        await out.line(`  Language   ${user.language ?? ''}`)
        await out.line(`  Address    ${user.apiEndpoint}`)
        await out.line(`  Created    ${out.time(user.created)}`)
        await out.line(`  Last seen  ${ago(user.lastUsed ?? undefined, now())}`)
        await out.line(`  Streams    ${user.streams}`)
        await out.line(`  Accesses   ${user.accesses}`)
        await out.line(`  Size       ${bytes(user.storageUsed.dbDocuments)}, plus files of ${bytes(user.storageUsed.attachedFiles)}`)
        if (user.auditSince !== null) await out.line(`  Audit      since ${out.time(user.auditSince)}; older records were removed`)
        if (user.relocated !== null) await out.line(`  Moved to   ${user.relocated.url}, redirected until ${out.time(user.relocated.until)}`)
        await out.line(`  MFA        ${factorWord(user.mfa)}`)
      },
    })
  },
})
