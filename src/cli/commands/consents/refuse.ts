import { command } from '../../command.js'
import { answerStream, linkArgument, linkOf, readOffer } from './shared/link.js'
import { runTrigger } from './shared/trigger.js'
import { wordsByLanguage, wordsOption } from './shared/words.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'

/** `coffer consents refuse`. */
export const refuse = command({
  path: ['consents', 'refuse'],
  summary: 'Refuse a request of another account, and notify it',
  description: 'No access is granted. The link stays valid until it expires, so the request can still be accepted later.',
  arguments: { link: linkArgument },
  options: { reason: wordsOption('Reason, sent to the other account'), user: userOption },
  examples: [
    { type: 'coffer consents refuse https://<token>@example.org/ana-lovelace/ --user ben-hopper', description: 'refuse without a reason' },
    { type: `coffer consents refuse - --user ben-hopper --reason 'ask for less' < link.txt`, description: 'refuse with a reason' },
  ],
  json: '{"event":{…}}, the event of type consent/refuse-cmc once it is completed',
  offline: false,
  async run(context, { link, reason, user }) {
    const { out, connect } = context
    const capabilityUrl = await linkOf(context, link)
    const words = wordsByLanguage(reason, '--reason')
    const client = await connect()
    const as = await accountOf(client, user)
    const offer = await readOffer(client, capabilityUrl)
    const event = await runTrigger(context, client, as, {
      streamId: answerStream(offer),
      type: 'consent/refuse-cmc',
      content: { capabilityUrl, ...(words === undefined ? {} : { reason: words }) },
    })
    await out.result({ event }, { id: textOf(event['id']), print: () => out.done(`Refused the request of ${offer.from}.`) })
  },
})
