import { command } from '../../command.js'
import { answerStream, linkArgument, linkOf, readOffer } from '../../consents/link.js'
import { carryOut } from '../../consents/trigger.js'
import { wordsByLanguage, wordsOption } from '../../consents/words.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'

/** `coffer consents refuse`. */
export const refuse = command({
  path: ['consents', 'refuse'],
  summary: 'Refuse what another account asks for, and tell it so',
  description: 'Nothing is given. The link stays good, until it ends: who has refused may still agree.',
  arguments: { link: linkArgument },
  options: { reason: wordsOption('What they are told'), user: userOption },
  examples: [
    { type: 'coffer consents refuse https://<token>@example.org/ana-lovelace/ --user ben-hopper', says: 'without a word' },
    { type: `coffer consents refuse - --user ben-hopper --reason 'ask for less' < link.txt`, says: 'with one' },
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
    const event = await carryOut(context, client, as, {
      streamId: answerStream(offer),
      type: 'consent/refuse-cmc',
      content: { capabilityUrl, ...(words === undefined ? {} : { reason: words }) },
    })
    await out.result({ event }, { id: textOf(event['id']), print: () => out.done(`${offer.from} was refused.`) })
  },
})
