import { command } from '../command.js'
import { userOption } from '../client/user.js'
import { createPageLink, openOrPrint } from '../client/openPage.js'
import { choice, flag } from '../framework/option.js'

/** `coffer open`. */
export const open = command({
  path: ['open'],
  summary: 'Open the web page of an account in the browser, logged in',
  description:
    'The page is the console of the account; with --page access, the list of who has access to it; with --page mfa, the second factor. The link logs in once, within two minutes; the URL that stays in the browser contains no token.\n\nWithout a display, with --print and with --json, the link is printed instead of opened. Anyone who opens it first is logged in. Other users of this machine can read program arguments, so use --print if you do not trust them.',
  options: {
    user: userOption,
    page: choice(['overview', 'access', 'mfa'], 'Page to open; defaults to overview'),
    print: flag('Print the link without opening it'),
  },
  examples: [
    { type: 'coffer open', description: 'open the only account' },
    { type: 'coffer open --user ana-lovelace --page mfa', description: 'set up the second factor' },
    { type: 'coffer open --user ana-lovelace --print', description: 'print the link, to paste into a browser' },
  ],
  json: '{"username","page","url","expires"}, expires in seconds',
  offline: false,
  async run(context, { user, page, print }) {
    const { out, connect } = context
    const answer = await createPageLink(await connect(), user, page)
    await out.result(answer, { id: answer.url, print: () => openOrPrint(context, answer, (link) => out.line(link), !print) })
  },
})
