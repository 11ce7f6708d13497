import * as z from 'zod'
import { platformMethod } from '../method.js'

/** Seconds for which clients may keep an asset: they hardly change, and a client with an older one works. */
export const KEEP_ASSETS = 3600

const Address = z.object({ url: z.string() })

/**
 * The index of what apps load of this node to look like it and to show a log-in button (client facts, "Addressing").
 * Addresses are relative to `baseUrl`. Service information names this index, as `assets.definitions`.
 */
export const assetDefinitions = platformMethod({
  id: 'assets.definitions',
  summary: 'The index of icon, styles and log-in button that apps may show.',
  http: { verb: 'GET', path: '/assets/index.json' },
  input: z.unknown(),
  output: z.object({
    baseUrl: z.string(),
    favicon: z.object({ default: Address }),
    css: z.object({ default: Address }),
    'lib-js': z.object({ buttonSignIn: z.object({ css: z.string(), html: z.string(), messages: z.string() }) }),
  }),
  document: true,
  keep: KEEP_ASSETS,
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
