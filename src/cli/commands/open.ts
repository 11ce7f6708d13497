import { command } from '../command.js'
import { textOf } from '../client/answer.js'
import { userOption } from '../client/user.js'
import { pageOf, displayed } from '../client/openPage.js'
import { choice, flag } from '../framework/option.js'

/** `coffer open`. */
export const open = command({
  path: ['open'],
  summary: 'Open the page of an account in the browser, signed in',
  description:
    'The page shows who has access to the account, or with --page mfa the second factor. The link signs in once, within two minutes; the address that the browser keeps holds nothing of it.\n\nWithout a display, with --print and under --json, the link is printed in place of being opened. Whoever has it first is signed in: other users of this machine can read the arguments of programs, so use --print where you do not trust them.',
  options: {
    user: userOption,
    page: choice(['access', 'mfa'], 'Which page; access unless given'),
    print: flag('Print the link, open nothing'),
  },
  examples: [
    { type: 'coffer open', says: 'who has access to the only account' },
    { type: 'coffer open --user ana-lovelace --page mfa', says: 'set up the second factor' },
    { type: 'coffer open --user ana-lovelace --print', says: 'the link, to paste into a browser' },
  ],
  json: '{"username","page","url","expires"}, expires in seconds',
  offline: false,
  async run(context, { user, page, print }) {
    const { out, connect } = context
    const answer = await pageOf(await connect(), user, page)
    await out.result(answer, { id: textOf(answer['url']), print: () => displayed(context, answer, (link) => out.line(link), !print) })
  },
})
