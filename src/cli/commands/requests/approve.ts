import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirm } from '../../terminal/input/confirm.js'
import { recordOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, list, text } from '../../framework/option.js'
import { consentLines, consentOf, storedBy, obstacleOf } from './consent.js'
import { answersOf, askedAbout, inviteLines, isOfInvite, outcomeLines } from './invites.js'

/** `coffer requests approve`. */
export const approve = command({
  path: ['requests', 'approve'],
  summary: 'Give an app the access that it asks for',
  description:
    'Shows what the app will be able to do, and asks. The app gets its token by itself, within a second or two; it is not shown here.\n\nAn app may leave some of what it asks for to you: see coffer requests show. It may also ask for consents to other accounts, which are numbered: who approves its request agrees to those that it requires, and says of each of the others, by --agree and --decline or when asked. What such a consent leaves to you is named with its number: --without 2:diary.',
  arguments: { key: text('Its key, or the beginning of it', { required: true }) },
  options: {
    without: list('What the app asks for and does not get', { placeholder: 'stream' }),
    also: list('What is not ticked, and the app gets', { placeholder: 'stream' }),
    agree: list('An optional consent to another account that you give', { placeholder: 'n' }),
    decline: list('One that you do not give', { placeholder: 'n' }),
    yes: flag('Do not ask'),
    user: userOption,
  },
  examples: [
    { type: 'coffer requests approve k7f2ab --user ana-lovelace', says: 'asks before it gives' },
    { type: 'coffer requests approve k7f2ab --user ana-lovelace --without diary --yes', says: 'all but the diary' },
    { type: 'coffer requests approve k7f2ab --user ana-lovelace --agree 1 --decline 2 --yes', says: 'with the first of two optional consents' },
  ],
  json: '{"request":{…},"access":{"id","permissions","isNew"},"cmcInvites":[…]}, without the token; cmcInvites where the app asked for consents, as it is told of them',
  offline: false,
  async run({ out, connect, terminal, commandFor }, { key, without, also, agree, decline, yes, user }) {
    const client = await connect()
    const { user: username } = await accountOf(client, user)
    const displayed = await client.call('requests.show', { key, username, language: 'en' }, {})
    const consent = consentOf(displayed)
    const whole = textOf(recordOf(displayed['request'])['key'])
    const obstacle = obstacleOf(consent)
    if (obstacle !== undefined) {
      throw new CommandError(obstacle, { hint: `Refuse it: ${commandFor('requests', 'refuse', whole)}` })
    }
    const isOwn = (word: string): boolean => !isOfInvite(consent, word)
    const keep = storedBy(consent, without.filter(isOwn), also.filter(isOwn))
    const { answers: stated, undecided } = answersOf(consent, { agree, decline, without, also })
    for (const line of [...consentLines(consent, keep), ...inviteLines(consent, stated)]) out.note(line)
    const answers = { ...stated, ...(await askedAbout(terminal, undecided, yes)) }
    await confirm(terminal, `Give ${textOf(recordOf(consent['app'])['name'])} this access to ${username}?`, yes)
    const answer = await client.call('requests.approve', { key: whole, username, keep, answers }, {})
    const access = recordOf(answer['access'])
    const id = textOf(access['id'])
    await out.result(answer, {
      id,
      print: () => {
        for (const line of outcomeLines(answer)) out.note(line)
        out.done(access['isNew'] === true ? `Access ${id} made for ${username}.` : `The app has its access, ${id}.`)
        out.note(`  Take it back: ${commandFor('accesses', 'revoke', id, '--user', username)}`)
      },
    })
  },
})
