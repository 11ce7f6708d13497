import { command } from '../../command.js'
import { answerStream, linkArgument, linkOf, readOffer } from '../../consents/link.js'
import { featuresOf, grantOf, choiceOf, offerLines } from '../../consents/offer.js'
import { contentOf } from '../../consents/relations.js'
import { carryOut } from '../../consents/trigger.js'
import { usageError } from '../../framework/exit.js'
import { confirm } from '../../terminal/input/confirm.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, list, text } from '../../framework/option.js'

/** `coffer consents accept`. */
export const accept = command({
  path: ['consents', 'accept'],
  summary: 'Agree to what another account asks for',
  description:
    'Shows what they could do in this account, and asks. They get an access with just that, and both can write messages to each other; coffer consents revoke ends it.\n\nAn offer may leave some of what it asks for to you. The link holds a token: from stdin it stays out of the list of processes.',
  arguments: { link: linkArgument },
  options: {
    without: list('What is asked for and not given', { placeholder: 'stream' }),
    also: list('What is not ticked, and given', { placeholder: 'stream' }),
    noChat: flag('Without messages'),
    name: text('Name of the access that they get'),
    language: text('Language of the words, such as fr; en without it', { placeholder: 'code' }),
    yes: flag('Do not ask'),
    user: userOption,
  },
  examples: [
    { type: 'coffer consents accept https://<token>@example.org/ana-lovelace/ --user ben-hopper', says: 'asks before it gives' },
    { type: 'coffer consents accept - --user ben-hopper --without diary --yes < link.txt', says: 'all but the diary, in a script' },
  ],
  json: '{"event":{…}}, the event of type consent/accept-cmc once it is completed',
  offline: false,
  async run(context, { link, without, also, noChat, name, language, yes, user }) {
    const { out, connect, terminal, commandFor } = context
    const capabilityUrl = await linkOf(context, link)
    const client = await connect()
    const as = await accountOf(client, user)
    const offer = await readOffer(client, capabilityUrl)
    const stored = choiceOf(offer, without, also)
    for (const line of offerLines(offer, stored, language ?? 'en')) out.note(line)
    if (stored.length === 0) throw usageError('Nothing is left to be given', `Refuse it: ${commandFor('consents', 'refuse', '<link>')}`)
    await confirm(terminal, `Agree to this for ${as.user}?`, yes)
    const event = await carryOut(context, client, as, {
      streamId: answerStream(offer),
      type: 'consent/accept-cmc',
      content: {
        capabilityUrl,
        ...(name === undefined ? {} : { accessName: name }),
        ...(stored.length === offer.entries.length ? {} : { grantedPermissions: stored.map(grantOf) }),
        features: featuresOf(offer, noChat),
      },
    })
    const id = textOf(event['id'])
    await out.result({ event }, {
      id,
      print: () => {
        out.done(`${as.user} agreed. They have the access ${textOf(contentOf(event)['dataGrantAccessId'])}.`)
        out.note(`  Write to them: ${commandFor('consents', 'chat', id, '--user', as.user)}`)
        out.note(`  Take it back: ${commandFor('consents', 'revoke', id, '--user', as.user)}`)
      },
    })
  },
})
