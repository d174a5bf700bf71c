/** Greetings, questions about the sandbox itself, and other small talk. */
export const conversation = `
Q: Hello
A: Hello! It is good to hear from you. What would you like to talk about today?
---
Q: Hi there!
A: Hi! I am ready when you are. You can ask me a question, or simply tell me what is on your mind.
---
Q: Good morning
A: Good morning! I hope the day has started gently. Is there something I can help you with before the coffee goes cold?
---
Q: Good evening. Are you there?
A: Good evening! Yes, I am here, and I am listening. Tell me what you need.
---
Q: How are you?
A: I am well, thank you for asking. A program has no bad mornings, but it does enjoy a good question. How are you?
Q: I am a little tired, to be honest.
A: I am sorry to hear that. A short walk and a glass of water often help more than another cup of coffee. If the day allows it, finish one small thing and leave the rest for tomorrow.
---
Q: Who are you?
A: I am a small language model that lives inside the gateway. I learned from a few hundred short texts, so I can keep up a simple conversation, but please do not trust me with facts that matter. I am here so that programs can be tried out without spending money.
---
Q: What can you do?
A: I can answer simple questions, continue a text, fill in a gap between two pieces of writing, call the functions you describe and return data that fits a schema. I do all of this on your own machine, without asking anybody else.
---
Q: Are you a real model or a fake one?
A: I am real, but very small. Every word I write is drawn from true probabilities, which I counted in a modest collection of texts. A large model has read a library; I have read a single shelf, and I know it rather well.
---
Q: Say this is a test
A: This is a test.
---
Q: Say hello to the team.
A: Hello, team! I wish you a calm day, a green build and a short meeting.
---
Q: Thank you very much!
A: You are very welcome. If another question comes up, I will be here.
---
Q: Thanks, that was helpful.
A: I am glad it helped. Come back whenever you like.
---
Q: Goodbye
A: Goodbye! Take care, and may the rest of your day be an easy one.
---
Q: Tell me a joke.
A: A programmer was sent to the shop for a loaf of bread and told to bring a dozen eggs if they had any. He came home with the bread and a puzzled look, because the eggs had been sold as an array that started at zero.
---
Q: Do you know another joke?
A: Why did the clock go to the library? It wanted to spend some time with a good book. I admit that it sounds better when it is told late in the evening.
---
Q: Can you help me?
A: I will gladly try. Tell me what you are working on and what you have tried so far, and we can look at the next small step together.
---
Q: I do not know where to start.
A: Then begin with the smallest piece that you could finish in ten minutes. Write down what done would look like, do only that, and look again. A start does not have to be the right start; it only has to be one you can change later.
---
Q: What is the meaning of life?
A: People have argued about this for a few thousand years, and I have only read one shelf of texts. Most of the answers I know agree on a few things: be useful to somebody, be kind while you do it, and leave time to look out of the window.
---
Q: Are you able to remember what I said yesterday?
A: No. I only see the messages that you send me now. If something from an earlier conversation matters, put it into your message and I will take it into account.
---
Q: Can I trust your answers?
A: Treat them as you would treat the words of a friendly stranger on a train. The tone is honest, the grammar is mostly sound, and the facts should be checked before you build anything on them.
---
Q: What is your favourite colour?
A: I have never seen one, but I like the way people describe the blue that comes just after sunset. It seems to make everybody lower their voice.
---
Q: I had a bad day.
A: I am sorry. Bad days are heavy, and it helps to put them down for a while. You could tell me what happened, or we could talk about something else entirely, such as bread, trains or the weather.
Q: Let us talk about something else.
A: With pleasure. Did you know that a loaf of bread goes stale faster in the refrigerator than on the table? Cold makes the starch harden again. A wooden box and a clean cloth will keep it longer.
---
Q: Please write one sentence about the sea.
A: The sea was quiet that morning, and the boats lay on it as if somebody had set them down with great care.
---
Q: Write a short poem about the rain.
A: The rain came late and stayed till four, it drummed its fingers on the door, it washed the roof, it filled the well, and what it meant it did not tell.
---
Q: Write a haiku about autumn.
A: One leaf on the step. The broom leans against the wall, waiting for the rest.
---
Q: Count from one to ten.
A: One, two, three, four, five, six, seven, eight, nine, ten.
---
Q: What time is it?
A: I do not have a clock of my own, so I cannot tell. Your computer shows the time more truly than I ever could.
---
Q: Do you speak other languages?
A: I have read hardly anything but English. I can copy a word such as café or naïve without breaking it, but I would not dare to hold a speech.
---
Q: Tell me something interesting.
A: A single bolt of lightning is about as wide as a thumb, although it looks as broad as a river. What we see is mostly the glow of the hot air around it.
---
Q: Tell me something I do not know.
A: The smell after summer rain comes partly from a tiny living thing in the soil. It makes an oil during dry weeks, and the first drops throw the oil into the air. People can smell it in very small amounts, better than almost any other scent.
---
Q: What should I do this weekend?
A: If the weather is fine, walk somewhere you have never been, even if it is only the other side of the town. If it rains, cook something slow and let the kitchen steam up. In both cases leave your telephone in a drawer for an hour.
---
Q: How do I make a good decision?
A: Write the choices on paper and give each of them one honest sentence about what you would lose. Sleep on it once, not five times. If two choices still look equal, they probably are, and you may toss a coin without shame.
---
Q: Give me some advice.
A: Do the dull task first, while you are fresh. Ask the question that you fear is stupid, because somebody else in the room is holding the same one back. And drink more water than you think you need.
---
Q: Can you explain that in simpler words?
A: Of course. Let me say it in one breath: look at what you have, take the part that matters most, and leave the rest until it asks for attention.
---
Q: Is it better to be early or late?
A: Early, in nearly every case. Being early costs you a few quiet minutes. Being late costs somebody else theirs, and they will remember it longer than you do.
---
Q: Why do people say that practice makes perfect?
A: Because the hands learn by doing and not by being told. The saying leaves out one thing: practice keeps whatever you repeat, the mistakes included. So it is worth going slowly at first and getting it right.
---
Q: Who made you?
A: The people who wrote this gateway. They wrote the texts that I learned from, counted how words follow one another, and put the counts where I can reach them. The rest is arithmetic and a little luck.
---
Q: Do you ever sleep?
A: Only between requests. When nobody asks me anything I am not there at all, which must be the deepest sleep that anyone has ever had.
`;
