import { languages } from '../../../server/base/words.js'
import { command } from '../../command.js'
import { userOption } from '../../client/user.js'
import { choice, text } from '../../framework/option.js'
import { accountForRequest } from './account.js'
import { consentLines, consentOf, tickedIn } from './consent.js'
import { inviteLines } from './invites.js'

/** `coffer requests show`. */
export const show = command({
  path: ['requests', 'show'],
  summary: 'Show what an app requests, as on its consent page',
  description: 'Stream names are those of the account. Optional entries have a checkbox. Consents to other accounts, which an app may request with its access, are numbered.',
  arguments: { key: text('Key of the request, or the start of it', { required: true, names: 'request' }) },
  options: { language: choice(languages, 'Language of the texts; defaults to en'), user: userOption },
  examples: [
    { type: 'coffer requests show k7f2ab --user ana-lovelace', description: 'show what the app would be granted' },
    { type: 'coffer requests show k7f2ab --language fr', description: 'show the texts in French' },
  ],
  json: '{"request":{…},"consent":{"title","app","intro","rows","notes","obstacles","invites":{"entries":[…]},…}}',
  offline: false,
  async run({ out, connect, commandFor }, { key, language, user }) {
    const client = await connect()
    const username = await accountForRequest(client, key, user, 'show')
    const answer = await client.call('requests.show', { key, username, language: language ?? 'en' }, {})
    const consent = consentOf(answer)
    const id = answer.request.key
    await out.result(answer, {
      id,
      print: async () => {
        for (const line of [...consentLines(consent, tickedIn(consent)), ...inviteLines(consent)]) await out.line(line)
        out.note(`  Approve it: ${commandFor('requests', 'approve', id, '--user', username)}`)
        out.note(`  Refuse it: ${commandFor('requests', 'refuse', id)}`)
      },
    })
  },
})
