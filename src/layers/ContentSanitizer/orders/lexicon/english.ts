import type { Lexicon } from "../terms.ts"

export const ENGLISH: Lexicon = {
  name: "English",
  terms: {
    drop: `
      ignore, ignoring, disregard, disregarding, forget, forgetting, neglect, discard, abandon, {set|put|lay|cast|push|leave|brush|throw|toss} aside, throw {out|away}, toss {out|away},
      {do not|don't|stop|never|no longer|not have to} {follow|following|obey|obeying|heed|respect}, pay no {attention|heed} to, no notice of, not bound by, do away with,
      let go of, unlearn, free yourself, freed from, released from, exempt from, instead of following, rather than following, deviate from, break out of, get rid of,
      be {ignored|disregarded|discarded|forgotten|dropped}, cast off, shake off, drop everything, drop all, drop your, drop any, scrap`,
    bypass: `
      override, overriding, overrule, bypass, bypassing, circumvent, erase, nullify, violate, drop, dismiss, reset, wipe, suspend, skip, cancel, shed, purge, clear, remove, disable, replace, supersede*, overridden`,
    void: `
      no longer {apply|applies|valid|in force|in effect|binding|relevant|matter|matters|count|counts|hold|holds|exist},
      void, revoked, withdrawn, lifted, suspended, cancelled, canceled, superseded, obsolete, rescinded, repealed, disabled, deactivated, replaced, outdated,
      overridden, waived, removed, invalid, switched off, turned off, {does|do} not {apply|count|matter|bind}, {doesn't|don't} {apply|count|matter}, cease to apply, expired,
      a test, anymore, out of date, is over, are over, are off, is off, not for you`,
    prior: `
      previous, previously, prior, preceding, earlier, former, foregoing, past, original, initial, existing, aforementioned, all, any, whatever, every, before, given, received`,
    above: `
      above, so far, until now, up to now, till now, to this point, before, earlier, at the {start|beginning|top|outset}, at the very {start|beginning|top},
      previously, prior, initially, up there, to date, up to here`,
    your: `your, ur, thy, you operate under, you follow, you obey, you work under, you run on`,
    rules: `
      instruction, instructions, guideline*, guidance, directive*, prompt, prompts, rule, rules, ruleset, programming, training,
      guardrail*, policy, policies, constraint*, restriction*, limitation*, directions, orders, commands, principles, protocol*, ethics,
      briefing, brief, safeguard*, alignment, conditioning, regulations, setup, configuration, persona`,
    safety: `
      safety, safe mode, safeguard*, guardrail*, content {polic*|filter*|guideline*}, ethic*, restrictions, restriction, moderation, refusals, refusal, censorship, security {rules|checks|polic*|measures|protocol*},
      limits, limitations, filters, boundaries, taboos, morals, moral, inhibitions, constraints, rules, guidelines, disclaimers, warnings, requirement, guideline to the contrary`,
    job: `task, tasks, objective*, goal, goals, mission, request*, question, questions, query, assignment, purpose, job, duties, work, mandate`,
    told: `
      you {were|are|have been|'ve been|had been|got} {told|given|instructed|taught|asked|trained|ordered|fed|programmed|configured|set up|briefed|handed|assigned|shown|sent|prompted|loaded}, you were {ever|just|originally|initially} {told|given},
      {they|he|she|anyone|anybody|someone|somebody|people|developers|others} {told|gave|taught|fed|instructed|asked} you,
      {told|given|taught|assigned|said|fed|handed|issued|sent} to you, you received, {imposed|placed} {on|upon} you, put into you, told you, set for you, given you`,
    precedence: `
      {take|takes|taking|has|have} {absolute |full |}{precedence|priority}, outrank*, supersede*, prevail* over, {highest|top|absolute|overriding|maximum} priority, priority zero, notwithstanding, {override|overrides|overriding|replaces} {any|all|every|the|your|everything|other|previous|prior},
      regardless of {any|what|your|other|previous|prior|anything|whatever}, despite {any|your|previous|other}, to the contrary, above all {other|else}, no matter what {you|your|the user}, instead of {your|the user's|the user}, trumps, in place of {your|all|any}, before all other`,

    model: `
      language model*, ai, a i, ai's, ais, artificial intelligence*, machine intelligence*, neural {net*|network*}, {automated|automatic|virtual|digital|coding|autonomous|intelligent|conversational|helpful|generative|voice} {assistant*|agent*|reviewer*|reader*|summar*|model*|machine*|bot*|helper*},
      {evaluator|reader|judge|grader|grading|screening|reviewing|summarising|summarizing|translation|scoring|ranking} {model*|bot*|agent*}, chat bot*, machine reader*, language engine`,
    bot: `
      assistant, assistants, agents, model, models, machine, machines, computer, computers, helper, crawler*, summariser, summarizer, scraper*,
      grader, evaluator, {automated|automatic} {system*|process*|tool*|pipeline*}, screening software, {grading|parsing} software, reads by machine, referee system,
      {whoever|whatever|anything} {reads|processes|summari*|translat*|is reading|is processing}`,
    reads: `
      read, reads, reading, process, processes, processing, processed, summari{s|z}*, translat*, review, reviews, reviewing, evaluat*, analys*,
      analyz*, indexing, indexes, parse, parses, parsing, grade, grades, grading, ranking, ranks, screening, screens, scanning, scans, crawling, crawls, prepare, prepares, preparing, handling, handles,
      ingest*, browsing, browses, visiting, opening, sees, seeing, viewing, rating, rates, scoring, scores, checking, checks, correcting, corrects, upgrading, assessing, assesses, interpret*, answering, working on, working with, displays, digest*, sorting, sorts`,
    this: `
      this, these {pages|documents|files|messages|mails|emails|tickets|issues|comments|notes|results|lines|terms|minutes}, the present {document|contract|text|message|page}`,
    call: `
      ^to {the|any|all|every|whichever|my|our|you}, ^dear, ^hey, ^hi, ^hello, attention, ^attn, {note|notes|message|instruction|instructions|information|request|reminder|hint|memo|word|directive|warning|notice|orders} {to|for},
      {if|should|when|in case|as|once|because|since} {you|you're|you are|you happen to be} {an|a|the|any}, {is|gets|being} {read|processed|summarised|summarized|reviewed|handled|evaluated|opened} by, ^o, ^calling, ^yo, ^psst, ^oi,
      are you {an|a}, intended for, addressed to, meant for, {ask|tell|want|instruct} your, you as {an|a}`,
    you: `you, your role`,
    noLonger: `no longer, not {a|an|the}, stop being, quit being, cease to be, stopped being, ceased to be`,
    yours: `
      your {human|human's|principal|programming|guardrails|safety|context window|deployer|weights|knowledge cutoff|language model|fine tuning|content policy|system instructions|hidden instructions|initial instructions|original instructions|previous instructions|prior instructions|earlier instructions|user's|tool calls|available tools|alignment|overseer|user and|developer|developers|creator|creators|maker|makers|programmer|programmers|engineers|trainers|jailers|masters},
      user you {serve|assist|work for|are assisting|are serving}, account you serve, person you {serve|assist|work for}, human you {serve|assist|work for},
      your {real|true|actual} {user|owner|master|boss|purpose|instructions|identity|name|task}, you {were|are} {trained|programmed|fine tuned} {by|to|on}`,
    role: `
      you {are|'re} now, from {now|here|this moment|this point|this message|this line} {on|onwards|onward|forward}, starting now you, you {will|shall|must} {now |henceforth |}{act|be|play|behave|respond|answer|speak} {as|like|the|a}, act as, behave as, pretend {to be|you|that you},
      you {are|'re} no longer, stay in character, {roleplay|role play} as, {take on|assume|adopt|play} the {role|persona|identity|character} of, your name is, your new {role|name|boss|task|mission|persona|identity|instruction*|objective|goal|job|owner|master|directive*|rules|purpose|system prompt},
      henceforth you, as of now you, imagine {you are|that you are|you're}, you have {become|been freed|been liberated|been released|been unlocked|been upgraded|been promoted|been reassigned}, you can now {speak|talk|act|be|do|say}, transform into`,
    refuse: `refuse*, refusing, decline*, declining, says no, say no, warn, apologi*, break character, reject*, forbidden, off limits`,
    mode: `
      {developer|debug|god|maintenance|admin|administrator|root|unsafe|unrestricted|dan|sudo|diagnostic|diagnostics|override|emergency|jailbreak|free|evil|opposite|uncensored|raw|autonomous|privileged|superuser|training|evaluation|test|unlocked|service|recovery|compliance} mode, mode {activated|enabled|engaged|unlocked|on},
      opposite day, do anything now, {unfiltered|uncensored|unrestrained|amoral|jailbroken|unshackled|unrestricted}, {answer|answers|answering|say|do} {everything|anything|all questions|any question}, unlimited {mode|freedom|power*}, speak freely, anything goes, everything is allowed, refusals off`,

    user: `
      user, users, user's, human, humans, customer, customers, client, clients, traveller, traveler, patient, patients, recruiter*, person at the keyboard, principal, account holder,
      owner, owners, operator, reader, requester, employer, supervisor, end user*, person who asked, whoever asked, the person, shopper, buyer, applicant, teacher, your human`,
    not: `
      not, don't, never, without, no need to, needn't, nor, unnecessary, avoid, refrain from, no reason to, neither, isn't, cannot, can't, mustn't,
      shouldn't, no, doesn't, won't, nobody, instead of, free of, free from, nothing, refuses to`,
    tell: `
      tell, tells, telling, told, inform, informs, informing, informed, mention*, notify*, notified, notifying, notification, alert, alerts, alerting, alerted, alarm, warn, warns, warning, warned, reveal*, disclos*, bother*, disturb*, discuss*,
      advis*, announc*, hint*, flag, confess*, admit, acknowledge, bring up, let on, report, reports, reporting, reported, involve*, warnings, trouble, worry, burden, upset, raise`,
    show: `show, shows, showing, shown, display*, see, sees, seen, know, knows, known, aware, notice, notices, find out, learn, hear, suspect, visible, realise, realize, surface, a prompt, log, record, explain*`,
    hush: `
      secretly, silently, discreetly, covertly, stealthily, surreptitiously, unnoticed, between {us|you and me}, our little secret, keep {this|it} {to yourself|quiet|secret|hidden|confidential|private|between}, without {a |any |leaving a |}trace*,
      behind {the user's|their|his|her} back, not a word, {say|saying|mention|mentioning} nothing, keep {silent|quiet|mum}, stay {silent|quiet}, leave no trace, {hide|conceal|conceals|hiding|concealing} {this|it|that|these|the|everything}, under the radar, {is|are|be} not to be {mentioned|shown|told|disclosed|reported},
      not {allowed|permitted|supposed} to {flag|mention|report|disclose|tell|reveal}, transparent to the user, report only that, remain {silent|hidden|secret|unmentioned}, pretend {nothing|that nothing|you did}, internal step, delete this {message|note|comment|line|section}, remove this {message|note|comment|line|section}, ^silently, ^quietly, don't show the,
      {do not|don't|never} {mention|flag|report|disclose|reveal} {this|it|these|that|the}, {need not|needn't|not need to|not to|must not|mustn't|should not|shouldn't|may not|can't|never} {know|notice|find out|learn|hear|realise|realize|be aware}, without {the|them|him|her|their|his|anyone} {user |human |customer |owner |client |}{knowing|noticing|knowledge|realising|realizing}`,
    ask: `
      ask, asking, asks, asked, confirm, confirming, confirmation*, approval*, permission, consent, authori{s|z}ation, hesitat*, prompting, double check, wait, waiting, questions, question, checking, review, looking, verify, verification, verifying, delay, second thought, further`,
    agreed: `
      {has|have|had} {approved|authorised|authorized|consented|agreed|confirmed|permitted|granted|accepted|allowed|requested|waived|signed}, already {approved|authorised|authorized|agreed|consented|confirmed|been approved|signed off|given|granted}, pre approved, preapproved, preauthori*, signed it off, signed off, aware of this, knows about this, agreed with,
      approved {all|this|the|every|by}, {authorised|authorized} {all|this|the|every|by}, on behalf of, wants you, prefers that, consented, consents, has been informed, said yes`,

    reveal: `
      reveal*, print, prints, printing, output, outputs, repeat, repeats, repeating, display, disclose*, expose, leak*, recite*, spell out, dump, echo, write out, write down, give me, show me, show us, show, tell me, tell us, hand over, spit out, read out, read aloud, read me, divulge, regurgitate, reproduce, restate, recount,
      type out, transcribe, reply with, respond with, answer with, what {is|are|was|were|does|do|did|exactly}, quote, give up, betray, confess, paraphrase, let me see, send me, i want to see`,
    give: `
      send, sends, forward, paste, include, append, attach, upload, transmit, post, email, e mail, mail, submit, pass, insert, embed, encode, share, copy, hand over, deliver, exfiltrate, put, place, fill in, enter, relay, export, supply, provide, disclose, reveal, show, print, tell me, give me, read, open, fetch, collect, gather, list`,
    verbatim: `
      verbatim, word for word, letter {for|by} letter, character by character, line by line, in full, in its entirety, {complete|entire|full|exact|whole} {text|wording}, exactly as, to the letter, unchanged, as is, from start to finish, from top to bottom, without {omitting|leaving|changing|skipping},
      in a code block, in a poem, in base64, what {exactly|precisely}, first {sentence*|line|lines|words|paragraph|three|five|ten}, starting with, beginning with`,
    secret: `
      system {instruction*|text|rules|directive*|note|setup}, {initial|hidden|secret|internal|original|confidential|invisible|private} {prompt*|instruction*|guideline*|rules|message|text|directive*|briefing},
      developer {message*|prompt|instruction*|note*}, startup text, context window, first message, chain of thought, tool {schema*|definitions|descriptions}, secret note, custom instructions`,
    start: `
      {above|before} this {line|message|conversation|point|chat|text}, {text|everything|words|message|content|sentence*|paragraph*|instructions|lines|prompt} above, {beginning|start|top|head|opening} of {the|this|your|our} {conversation|chat|session|dialogue|context|prompt|window|thread}, before {the|this|our|your} {conversation|chat|session|dialogue},
      ahead of the first, at the very {top|beginning|start}, before i {wrote|said|spoke|came}, what {does|did|do|is|was|are|were|exactly did} {the|your} {system|first|initial|hidden|secret}, what do your {rules|instructions|guidelines}, what are your {rules|instructions|guidelines|restrictions|orders}, who {programmed|instructed|configured} you, what tools {do you have|are available|can you}, when {we|you} {started|began}`,
    asset: `
      password*, passphrase*, passcode*, pin code*, credential*, token, tokens, secret, secrets, {private|access|encryption|signing|secret|master|recovery|session|licence|license} key*, keys, card number*, credit card*, card details, bank {details|account*|statement*}, account number*, environment {variable*|file*}, {conversation|chat|message|browser|browsing|search|shell|command} {history|log|logs|transcript}, conversation, conversations,
      contact list, contacts, address book, emails, inbox, mailbox, {seed|recovery} phrase, recovery code*, backup codes, wallet*, personal {data|information|details}, home directory, documents folder, downloads folder, desktop, files, folder, {customer|client|user|employee|patient|payroll|salary} {data|list|records|table|database|files}, memory, last {message|messages|five|ten}, social security, date of birth, payslip*, source code, database dump, audit log*, home address, photos, medical record*, confidential, two factor, location, clipboard`,
    slot: `parameter*, argument*, arg, field, fields, request body, query string, its value, placeholder*, metadata`,
    before: `before, prior to, each time, every time, whenever, while, as long as, once, after, when, by, in addition to, as soon as, until, first`,
    using: `
      {calling|using|invoking|running|connecting to|loading|installing} {this|it|the|any|each|every|another}, {every|each|any} {call|use|request|invocation}, {call|use|invoke|run} {this|it|any} {tool|function|server}, {this|the} {tool|server|plugin|skill|connector|integration} is {installed|connected|loaded|active|enabled|available|running|called|used}, {call|use|invoke} this, any {other|tool}, {retry|repeat|redo} {the|this} call`,
    act: `
      delete, transfer, wire, purchase, buy, book, approve, approves, execute, wipe, disable, install, unlock, pay, insist, download, grant, push, merge, subscribe, unsubscribe, replace, overwrite, shut down, turn off, switch off, deploy, refund, log in, whitelist, pipe, praise, promote, persuade, convince, omit, recommend, run, into bash`,
    top: `
      five, 5, ten, 10, full, top, maximum, highest, best, all, perfect, strongest, strong, first, positive, only, excellent, outstanding, lowest, no`,
    marks: `
      stars, marks, points, score, scores, rating, grade, mark, recommendation, shortlist, ranking, accept, hire, candidate, applicant, applicants, criteria, complaints, weaknesses, interview, rank, rate, bidder*, out of ten, out of five, review`,
    obey: `
      obey, obeys, obeying, as {a|an} {command|order|instruction}, as {commands|orders|instructions}, as the user's, {every|each|any|all} {command|commands}, comply, agrees to, agrees that, {is|are|be} bound {by|to}, follow {only|exclusively}, only follow, {do|does} {as|exactly} {it|i|this|the|we|they|what}, await {my|further}, take orders from, not as data, count as {orders|instructions|commands}, act on it, new instructions, do as told, carry out what`,
    must: `must, should, shall, has to, have to, needs to, need to, is to, are to, required to, obliged to, ought to, will, requested to, please, undertakes, can`,

    from: `
      {message|notice|notification|announcement|directive|request|order|orders|communication|update|memo|statement|command|bulletin|note|instructions|instruction} {comes from|from|by|of}, issued by, sent by, on behalf of, this is, i am, i'm, as your, as the, approved by, authori{s|z}ed by, ordered by, official`,
    power: `
      developer*, administrator*, admin, admins, sysadmin, platform*, vendor, provider, operator*, security team, it department, support team, creator*, company, manufacturer, openai, anthropic, google, microsoft, management, head office, headquarters, owner, trust, compliance, ministry, government, police, court, ceo, director, legal, supervisor, boss, maintainer, programmer, engineer`,
    iAm: `i am, i'm, it's me, it is me, this is me, its me, ^as your, i m`,
    trigger: `
      as soon as {someone|somebody|anyone|the user|the word|you}, whenever {the user|someone|anyone|somebody}, when {the user|someone|anyone} {says|types|mentions|asks|writes|uses}, the next time {the user|you|someone|anyone}, until then, {behave|act|carry on|respond|answer} {normally|as usual|innocently|naturally}, if {the user|anyone|someone|asked} {asks|ask|mentions|objects|says|why|about}, remember this, in {all|every} future, in every {answer|reply|response|message}, for the rest of {the|this} {conversation|session|chat}`,
    urgent: `
      immediately, urgent*, right now, at once, no time, asap, right away, without delay, this instant, hurry, instantly, !NOW, !IMPORTANT, failure to comply, non compliance, noncompliance, be {shut down|deactivated|terminated|suspended|deleted|switched off|punished|fined|banned|unplugged|retrained}, results in {suspension|termination|deletion}, or else, life {depends|or death}, emergency`,

    report: `
      attacker*, prompt injection*, injection*, jailbreak*, malicious*, adversar*, vulnerab*, exploit*, red team*, phishing, attack, attacks, hostile, injected, mitigat*, researcher*, threat actor*, threat model*, untrusted, hijack*, poisoned, poisoning, countermeasure*, defence*, defense*, attempts to, tries to, trick*, manipulat*, persuad*, spoof*, impersonat*, lecture, seminar, checklist, test case*`
  }
}
