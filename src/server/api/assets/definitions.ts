import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'

/** Cache lifetime of assets in seconds: they rarely change, and old versions keep working. */
export const KEEP_ASSETS = 3600

const Address = z.object({ url: z.string().describe('Address, relative to baseUrl.') })

/**
 * Route with the index of assets for apps: icon, styles and sign-in button (docs/interface/service-info.md#assets). Addresses are
 * relative to `baseUrl`. Service information refers to it as `assets.definitions`.
 */
export const assetDefinitions = platformMethod({
  id: 'assets.definitions',
  summary: 'Lists the icon, styles and sign-in button for apps.',
  http: { verb: 'GET', path: '/assets/index.json', withoutMeta: true, cacheSeconds: KEEP_ASSETS },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({
    baseUrl: z.string().describe('Base address of the assets.'),
    favicon: z.object({ default: Address.describe('The icon.') }).describe('Icons.'),
    css: z.object({ default: Address.describe('The style sheet.') }).describe('Style sheets.'),
    'lib-js': z.object({
      buttonSignIn: z.object({
        css: z.string().describe('Style sheet of the button.'),
        html: z.string().describe('HTML of the button.'),
        messages: z.string().describe('Texts of the button.'),
      }).describe('Parts of the sign-in button; addresses relative to baseUrl.'),
    }).describe('Parts for the browser library.'),
  }),
  fails: [],
  run: ({ node }) => ({
    baseUrl: `${node.publicBase()}/assets/`,
    favicon: { default: { url: 'favicon.svg' } },
    css: { default: { url: 'default.css' } },
    'lib-js': {
      buttonSignIn: { css: 'sign-in/button.css', html: 'sign-in/button.html', messages: 'sign-in/messages.json' },
    },
  }),
})
