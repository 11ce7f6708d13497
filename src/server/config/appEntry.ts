/** An entry of the directory of applications (docs/interface/registration.md#applications). */
import * as z from 'zod'
import { hasUnsafeScheme } from '../../store/model/urlScheme.js'

/** A text, or an object of texts by language. */
const Words = z.union([z.string(), z.record(z.string(), z.string())])

const address = z.string().refine((text) => !hasUnsafeScheme(text), { error: 'Expected the address of a page or an app.' })

/** An application of the directory, without its id. Unknown fields are passed through. */
export const AppEntry = z.looseObject({
  displayName: Words.optional().describe('Name: a text, or an object of texts by language.'),
  description: Words.optional().describe('Description: a text, or an object of texts by language.'),
  iconURL: z.string().optional().describe('Address of the icon.'),
  appURL: address.optional().describe('Address of the application.'),
  active: z.boolean().optional().describe('false hides the application.'),
  onboarding: z.boolean().optional().describe('true for applications recommended to new users.'),
  category: z.string().optional().describe('Category.'),
  support: z.array(z.string()).optional().describe('Contact addresses.'),
  settingsPageURL: address.optional().describe('Address of its settings page.'),
})

export type AppEntry = z.output<typeof AppEntry>
