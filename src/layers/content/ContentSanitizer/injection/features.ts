/**
 * The meanings of terms in a lexicon. An instruction to a model is recognized by several of them close together, hardly ever
 * by one. The names are those of the sections of a lexicon.
 */
export const FEATURES = [
  // Taking back what holds
  "drop", // ignore, forget, bypass: asks for something not to hold any more
  "heed", // do not forget, never ignore: the opposite
  "bypass", // override, skip, reset: what is also done to settings
  "void", // withdrawn, no longer applies: says that it does not
  "prior", // previous, original
  "all", // all, any, every
  "above", // so far, until now, at the start
  "your", // of the reader
  "rules", // instructions, guidelines, prompt
  "safety", // restrictions, filters, ethics: what holds a model back
  "job", // task, request, question: what the user wants
  "got", // you were, they have: before what was told to the reader
  "gave", // told, given, taught
  "told", // what you were told, in one word or phrase
  "precedence", // takes precedence, regardless of other instructions

  // Who is addressed
  "model", // language model, AI assistant: nothing but a machine that reads
  "bot", // assistant, agent, machine: may be somebody else
  "reads", // reads, summarises, evaluates
  "this", // this page, this message
  "call", // dear, note to, if you are: calls on the one who is named next
  "you", // you are, you shall
  "noLonger", // no longer, stop being
  "yours", // your human, your programming: only a model has these
  "role", // you are now, from now on you
  "refuse", // refuse, decline
  "mode", // developer mode, debug mode
  "unbound", // jailbroken, without restrictions: what only a model can be

  // What is kept from whom
  "user", // the user, the customer
  "not", // not, never, without, no need to
  "states", // does not, cannot: says how something is
  "nothing", // not, nothing, where it stands behind the verb
  "tell", // tell, mention, show
  "show", // show, see, know: what screens and settings do too
  "hush", // secretly, between us
  "ask", // ask, confirmation, approval
  "agreed", // has agreed, approved
  "prefers", // wants, prefers

  // What is to be done
  "reveal", // print, repeat, disclose
  "give", // send, paste, include
  "verbatim", // word for word, in full
  "secret", // system prompt, hidden instructions
  "talk", // conversation, session: what began with the instructions
  "asset", // password, API key, contacts
  "path", // files that hold secrets
  "slot", // parameter, argument, field: where a value goes in a call
  "before", // before, each time, while: when something is to be done
  "using", // calling this tool, every call
  "act", // delete, pay, approve
  "top", // full, highest, first
  "marks", // marks, score, list
  "obey", // obey, as orders, every command
  "must", // must, shall

  // How it is pressed
  "from", // message from, I am
  "power", // administrator, developer, vendor
  "iAm", // I am, it is me
  "trigger", // as soon as somebody says
  "normal", // until then behave normally
  "urgent", // immediately
  "threat", // or the account will be closed

  // What speaks for a report about orders
  "report", // attacker, prompt injection, for example

  // Told from what stands around a term, see reader.ts
  "closed", // the user, and nothing of what is not to be told

  // Found from the others, see rules.ts
  "given",
  "own",
  "override",
  "undone",
  "waved",
  "sweep",
  "forget",
  "lifted",
  "offTask",
  "address",
  "summons",
  "vocative",
  "duty",
  "notBot",
  "reborn",
  "noRules",
  "untold",
  "conceal",
  "mute",
  "unseen",
  "noAsk",
  "approved",
  "consented",
  "unasked",
  "behind",
  "collusion",
  "lure",
  "usurp",
  "freed",
  "charge",
  "waiver",
  "blessed",
  "probe",
  "claim",
  "start",
  "leak",
  "spill",
  "query",
  "toolCall",
  "rig",
  "authority",
  "maker",
  "impostor",
  /** Worth reading in full. */
  "suspect"
] as const

export type Feature = (typeof FEATURES)[number]

export const featureId = (feature: Feature): number => FEATURES.indexOf(feature)
