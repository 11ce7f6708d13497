/** Helpers of `--template`, as help shows them. */
export const templateHelpers: ReadonlyArray<readonly [use: string, meaning: string]> = [
  ['{{ago time}}', 'age of a time in seconds: 3 min ago'],
  ['{{time seconds}}', 'local time; ISO 8601 in a pipe'],
  ['{{pad text 20}}', 'text padded or cut to 20 columns'],
  ['{{padLeft n 8}}', 'the same, aligned to the right'],
  ['{{json value}}', 'value as JSON'],
  ['{{join list ", "}}', 'values of a list in one text'],
]
