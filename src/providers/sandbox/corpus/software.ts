/** Programming, operations, and the people who do them. */
export const software = `
Q: Can you write a function that sorts a list?
A: In most languages you should not write one, because the library already has a good one. If you want to learn how it works, begin with insertion sort: take the items one after the other, and move each of them to the left until the one before it is not larger. It is slow for long lists, but for ten items nothing is faster.
---
Q: Write a function in Python that adds two numbers.
A: Here it is: def add(a, b): return a + b. Call it with add(2, 3) and you get 5.
---
Q: How do I reverse a string in JavaScript?
A: The short way is to spread the string into an array, reverse the array and join it again: [...text].reverse().join(''). The three dots matter, because they keep most characters whole that a plain split would cut in two.
---
Q: What is a bug?
A: A bug is a difference between what a program does and what somebody had good reason to expect. Some of them are in the code, some are in the expectation, and the worst are in the gap between two teams.
---
Q: How do I find a bug that I cannot reproduce?
A: Make the program tell you more before you make it do anything else. Write down the input, the time and the version whenever it fails. Then look for what the failures have in common and the successes do not. If it only happens under load, suspect two things that touch the same data; if it only happens at night, look at what else runs at night.
---
Q: What is recursion?
A: Recursion is when a function solves a problem by asking itself to solve a smaller one. It needs two things: a smallest case that is answered at once, and the certainty that every step comes closer to it. Without the first it never ends, and without the second it never ends either.
---
Q: What is the difference between a process and a thread?
A: A process has its own memory, and a thread shares the memory of its process with other threads. Processes are safer, because one cannot spoil the data of another. Threads are cheaper and talk to each other faster, and that is also how they get into trouble.
---
Q: Why do we write tests?
A: A test is a promise that you do not have to remember. It tells you tomorrow what you knew today. A test that cannot fail is only decoration, so break the code once on purpose and see it turn red.
---
Q: What makes a good commit message?
A: The first line says what changed, in a few words and in the present tense. Then leave an empty line and say why, because the what can be read in the code and the why cannot. If you need the word and in the first line, it was probably two commits.
---
Q: Should I use tabs or spaces?
A: Use whatever the project uses. If there is no project yet, let a formatter decide and never talk about it again. The hours that have been spent on this question would have been enough to build a cathedral.
---
Q: What is a database index?
A: It is like the index at the end of a book: a sorted list of words with the pages where they stand. Without it the database reads every page. With it the right pages are found in a few steps, but every time a page changes the list has to be changed as well, so each index makes writing a little slower.
---
Q: What is a cache?
A: A cache keeps an answer near at hand because somebody may ask the same question again. It makes things fast in exchange for two worries: the answer may be old, and the memory may run full. Decide how old is too old before you build it, not after.
---
Q: How do I learn to program?
A: Choose something small that you want to exist, such as a list of the books you have lent to friends. Choose one language and stay with it for half a year. Type the examples yourself instead of copying them, change one thing at a time, and read every error message to the end. It is nearly always on the line it says, or on the one above.
---
Q: What is a memory leak?
A: A memory leak is memory that a program still holds although it will never use it again. It often hides in a list that only grows, or in a listener that nobody removes. Watch the memory after each full collection: if the lowest point rises hour by hour, you have one.
---
Q: What does idempotent mean?
A: An operation is idempotent if doing it twice has the same effect as doing it once. Setting the light to on is idempotent, pressing the switch is not. It matters when a network is involved, because a message that was not answered may still have arrived.
---
Q: How does a load balancer work?
A: It stands in front of several servers and gives each request to one of them. The simplest rule is to go round in a circle. A better one is to choose two servers at random and take the one with fewer open requests. It also knocks on every server now and then, and sends nothing to those that do not answer.
---
Q: What is a race condition?
A: It is a mistake whose result depends on who comes first. Two clerks read that there is one seat left, both sell it, and both write down zero. The cure is to let the reading and the writing be one step that nobody can come between.
---
Q: When should I optimise my code?
A: After it is right, after it is clear, and after you have measured it. In most programs nearly all the time is spent in a very small part, and it is hardly ever the part you would have guessed. Measure, change one thing, measure again, and put it back if nothing happened.
---
Q: Why is my website slow?
A: Open the network view of your browser and look for three things: a first answer that takes long, pictures that are larger than they are shown, and scripts that block everything behind them. The first is the fault of the server, the second of the editor, and the third of nearly everyone.
---
Q: What is the difference between HTTP status 401 and 403?
A: With 401 the server says: I do not know who you are. With 403 it says: I know very well who you are, and you may not do this. Logging in helps against the first but not against the second.
---
Q: What does error 429 mean?
A: It means that you have sent too many requests in a short time. Wait as long as the Retry-After header says, then try again, and wait twice as long after each further refusal. Add a little chance to the waiting time, or all the clients will come back in the same second.
---
Q: What is a queue good for?
A: A queue lets the one who asks go on with something else while the work waits for its turn. It smooths out a rush, but it does not make anybody faster. If more comes in than goes out for a whole day, a queue is only a slow way to fail. So give it a length, and decide what happens when it is full.
---
Q: How do I review somebody else's code?
A: Read the description first and ask yourself how you would have done it. Then read the tests, because they say what is meant. Ask about what you do not understand before you criticise it. Point out what is good, separate what must change from what is only your taste, and be done within the day.
---
Q: What is technical debt?
A: It is work that you put off in order to be faster today, and that makes every later change a little harder. Like other debts it can be wise. It becomes dangerous when nobody writes it down, because then nobody knows that the slow progress is the interest.
---
Q: What is version control?
A: It is a memory for files. It keeps every state that you have told it to keep, says who changed what and why, and lets several people work on the same text without treading on each other's feet. You can go back to any of these states, and knowing that makes you braver.
---
Q: Should I rewrite the old system from scratch?
A: Hardly ever. The ugly lines in the old system are answers to questions that nobody remembers. Put tests around it, take out one part at a time, and let the new part run beside the old one until they agree for a month. At the end you will have rewritten it after all, and nobody will have noticed.
---
Q: What is a regular expression?
A: It is a short description of a set of texts. A dot stands for any character, a star for any number of what precedes it, and square brackets for one of several. They are wonderful for finding a date in a line and terrible for reading a whole document.
---
The alarm came at ten past three. By a quarter past there were four people on the call, all of them whispering, because somebody was asleep in every house. The graphs showed a cliff. Requests came in, nothing went out, and the database was idle, which is the worst sign of all, because an idle database in a storm means that nobody can reach it. They found it after forty minutes: a certificate that had been valid for exactly two years, and a calendar entry that belonged to a colleague who had left. They renewed it, watched the line climb back, and wrote down what they would do so that nobody had to wake up for this again. Then three of them went back to bed, and the fourth stayed up and baked rolls.
---
Good names are the cheapest documentation. A variable that is called remaining tells you more than one that is called n with a comment beside it, and it goes on telling you on every line where it is used. When you cannot find a name for a function, the function is often doing two things. When you find a name with the word manager in it, look again.
---
There is an old saying among those who run servers: the computer is always right, but it is not always telling you what you think it is telling you. A full disk says that a file cannot be found. A slow name server says that the network is down. A clock that is five minutes wrong says that your password is invalid. So before you believe a message, ask which part of the machine wrote it, and what that part could possibly have known.
`;
