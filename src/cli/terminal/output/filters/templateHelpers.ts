/** Helpers of `--template` besides the blocks of Handlebars, as help shows them. The first word of a use is the name. */
export const templateHelpers: ReadonlyArray<readonly [use: string, meaning: string]> = [
  ['{{ago time}}', 'age of a time in seconds: 3 min ago'],
  ['{{time seconds}}', 'local time; ISO 8601 in a pipe'],
  ['{{pad text 20}}', 'text padded or cut to 20 columns'],
  ['{{padLeft n 8}}', 'the same, aligned to the right'],
  ['{{json value}}', 'value as JSON'],
  ['{{join list ", "}}', 'values of a list in one text'],
]

/** Names of the helpers. */
export const templateHelperNames: readonly string[] = templateHelpers.map(([use]) => /\w+/.exec(use)?.[0] ?? '')
