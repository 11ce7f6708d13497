import { command } from '../../command.js'
import { answerStream, linkArgument, linkOf, readOffer } from './shared/link.js'
import { featuresOf, grantOf, choiceOf, offerLines } from './shared/offer.js'
import { contentOf } from '../../../server/api/consents/relations.js'
import { runTrigger } from './shared/trigger.js'
import { usageError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, list, text } from '../../framework/option.js'

/** `coffer consents accept`. */
export const accept = command({
  path: ['consents', 'accept'],
  summary: 'Accept a request of another account for access to your data',
  description:
    'Shows the requested permissions and asks for confirmation. The other account gets an access with exactly these permissions, and both accounts can exchange messages; coffer consents revoke ends it.\n\nAn offer may make some permissions optional. The link contains a token: passed on stdin, it does not show up in the process list.',
  arguments: { link: linkArgument },
  options: {
    without: list('Leave out this requested stream', { placeholder: 'stream' }),
    also: list('Also grant this stream, which is not selected by default', { placeholder: 'stream' }),
    noChat: flag('Do not allow messages'),
    name: text('Name of the access that is created'),
    language: text('Language of the texts, such as fr; defaults to en', { placeholder: 'code' }),
    yes: yesOption(),
    user: userOption,
  },
  examples: [
    { type: 'coffer consents accept https://<token>@example.org/ana-lovelace/ --user ben-hopper', description: 'prompt for confirmation' },
    { type: 'coffer consents accept - --user ben-hopper --without diary --yes < link.txt', description: 'grant all but one stream, in a script' },
  ],
  json: '{"event":{…}}, the event of type consent/accept-cmc once it is completed',
  offline: false,
  async run(context, { link, without, also, noChat, name, language, yes, user }) {
    const { out, connect, terminal, commandFor } = context
    const capabilityUrl = await linkOf(context, link)
    const client = await connect()
    const as = await accountOf(client, user)
    const offer = await readOffer(client, capabilityUrl)
    const granted = choiceOf(offer, without, also)
    for (const line of offerLines(offer, granted, language ?? 'en')) out.note(line)
    if (granted.length === 0) throw usageError('No permissions left to grant', `Refuse the request: ${commandFor('consents', 'refuse', '<link>')}`)
    await confirm(terminal, `Accept this request for ${as.user}?`, yes)
    const event = await runTrigger(context, client, as, {
      streamId: answerStream(offer),
      type: 'consent/accept-cmc',
      content: {
        capabilityUrl,
        ...(name === undefined ? {} : { accessName: name }),
        ...(granted.length === offer.entries.length ? {} : { grantedPermissions: granted.map(grantOf) }),
        features: featuresOf(offer, noChat),
      },
    })
    const id = textOf(event['id'])
    await out.result({ event }, {
      id,
      print: () => {
        out.done(`${as.user} accepted. The other account has the access ${textOf(contentOf(event)['dataGrantAccessId'])}.`)
        out.note(`  Send a message: ${commandFor('consents', 'chat', id, '--user', as.user)}`)
        out.note(`  Revoke it: ${commandFor('consents', 'revoke', id, '--user', as.user)}`)
      },
    })
  },
})
