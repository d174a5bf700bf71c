/** Language, numbers, music, games, history of small things, how things work. */
export const ideas = `
Q: How do I write better?
A: Write the way you would explain it to a clever friend who knows nothing about it. Use verbs that do something. Cut the first paragraph, as it is usually only the noise of you clearing your throat. Then read everything aloud, and mend the places where you stumble.
---
Q: What is a metaphor?
A: A metaphor says that one thing is another in order to show something about it. If I call the night a blanket I do not mean that it is made of wool. I mean that it covers us all and that we feel hidden beneath it. If I say that it is like a blanket, it is a simile, and a little more careful.
---
Q: What is the difference between affect and effect?
A: Affect is usually a verb: the rain affects the harvest. Effect is usually a noun: the rain has an effect on the harvest. If you can put the word the in front of it, it begins with an e.
---
Q: When do I use a semicolon?
A: Use it between two sentences that could stand alone but would rather not. The light went out; nobody moved. If you are in doubt take a full stop, because nobody was ever blamed for a full stop.
---
Q: What is a prime number?
A: A prime number can be divided only by one and by itself. The first ones are 2, 3, 5, 7, 11 and 13. There is no last one. If you multiplied all that you know and added one, the result would have a factor that is not in your list.
---
Q: What is pi?
A: Pi is how many times the width of a circle fits round its edge. It is a little more than three: 3.14159 and so on, without an end and without a pattern that anyone has found. It does not matter how large the circle is.
---
Q: What is an average?
A: Add everything up and divide by how many there are. It is a useful number, but a treacherous one. If nine people earn two thousand and one earns a million, the average is above a hundred thousand, and nobody at the table has ever seen such a sum except one. In that case ask for the median, which is the one in the middle.
---
Q: What is probability?
A: It is a number between zero and one which says how firmly you should expect something. Zero is never, one is certain, and a half is the toss of a coin. It does not tell you what will happen this time. It tells you how often it would happen if this time came again and again.
---
Q: What are the odds of rolling a six twice in a row?
A: One in thirty-six. For the first throw it is one in six, for the second it is one in six again, and since the dice do not remember anything, you multiply the two.
---
Q: How do I learn an instrument?
A: Practise every day for a quarter of an hour, instead of two hours on Sunday. Play the difficult bar ten times slowly, and leave the rest of the piece alone until the bar behaves. And finish each time with something you can already play, so that you put the instrument away as a friend.
---
Q: Why do some notes sound good together?
A: A note is a trembling of the air. If one trembles exactly twice as fast as the other, they fit so well that they seem to be the same note. Three to two also fits well, and four to three. The simpler the numbers are, the calmer it sounds, and a tune lives from leaving that calm and coming back to it.
---
Q: How do I get better at chess?
A: Before every move ask what your opponent wants to do. That alone will win you half of your games. Then learn the simple endings, solve a few puzzles every day, and look at the games you have lost. It is not pleasant, but they know your weaknesses by name.
---
Q: How does a refrigerator work?
A: A liquid boils at a low temperature in the pipes inside, and in order to boil it needs heat, which it takes from your milk. Outside a pump presses the vapour together until it is liquid again, and there it gives the heat away. So a refrigerator does not make cold. It carries warmth from the inside into the kitchen.
---
Q: How does a microwave oven heat food?
A: It fills the box with waves that change their direction more than two billion times a second. Water has a plus and a minus end, so it tries to follow and rubs against its neighbours. This rubbing is the heat. A dry plate has nothing to turn, and so it stays cool.
---
Q: How do aeroplanes fly?
A: The wings are tilted and shaped so that they push the air downwards, and the air pushes the wings up. The faster the machine flies the more air it can push. At the end of the runway the push has become as great as the weight, and the ground is no longer needed.
---
Q: How does a camera work?
A: A lens gathers the light that comes from each point of the scene and brings it together again in one point behind it. There is a plate with millions of tiny wells that count the light. A small door is open for a fraction of a second. What the wells have counted, each in red, green or blue, is the picture.
---
Q: What is electricity?
A: In metal there are tiny charged particles which are free to move. If there is a difference in charge between two ends of a wire they all move a little in the same direction, and that is a current. The difference is the voltage, which is like the height of a waterfall, and the current is like the amount of water that comes down.
---
Q: How does a battery work?
A: In a battery there are two materials, one of which would like to give away electrons while the other would like to have them. A barrier between them lets only other particles through. So the electrons have to take the way round, through your lamp, and on this way they do the work. When the first material has nothing left to give, the battery is flat.
---
Q: What is gravity?
A: Everything that has mass pulls at everything else. The pull is weak, so you feel it only when something as large as the Earth is involved. Another way of saying it is that mass bends space and time, and that things simply go straight on in a space that is no longer straight.
---
Q: Who was the first person to use a fork?
A: Nobody wrote it down. Large forks for cooking are very old. At the table they came from the East by way of Venice about a thousand years ago, and for a long time they were thought to be vain. After all, people said, we have been given fingers.
---
Q: How do I read a map?
A: Turn it until what is in front of you on the map is in front of you on the ground. Look for two things that you can see, such as a church and a hill, and find yourself between them. Brown lines join places of the same height; where they lie close together it is steep. And believe the map a little longer than your feeling.
---
Q: How do you win an argument?
A: Say what the other side means, so well that they would sign it. Then say on which point you agree. Only after that say where you think otherwise, and why. You may not win, but you will be listened to, and often you find out in the second step that there is hardly anything left to argue about.
---
Q: What is democracy?
A: It is a way of changing a government without bloodshed. Many people decide together, the losers keep their rights, and everyone knows that there will be another vote. It is slow and noisy, and its great strength is that it is able to notice its own mistakes.
---
Q: Why should I read books?
A: A book lets you think the thoughts of another person for several hours without being interrupted, and there is hardly any other way to get that. You can do it with people who live far away or have been dead for a long time. And if they bore you, you may close them, which is seldom possible with the living.
---
Q: What was the first computer?
A: It depends on what you count. For a long time a computer was a person who did sums for a living. The first machines that could follow any list of instructions were built in the 1940s. They filled a hall, needed as much power as a village, and could do less than the thing that now opens a garage.
---
Every alphabet has its left-over letters, and every keyboard has its lonely keys. The q comes hardly ever without its friend. The x marks treasure and mistakes. The z stands at the end of the queue and has got used to it; in return it is allowed to sleep, in comics, above the heads of tired men, as often as it likes. The e works harder than all of them, and nobody has ever named a vitamin after it that was not discovered by accident.
---
A game needs three things: rules that can be told in a minute, a decision that takes longer than that, and a way of losing that makes you want to play again. The oldest games we have found were laid out in rows of small holes in the ground, and they were played with beans. We do not know their rules any more. But next to one of the boards, at the edge of an old market, somebody had scratched a second one into the stone, a little smaller and at the height of a child.
---
The orchestra tunes to the oboe. There are several explanations. The oboe has a clear, piercing tone that everybody can hear. It is hard to tune itself, so the others have to follow. And, as an old player told me, it is simply the custom, and with customs one should be glad if they begin with listening. First there is the one long note, thin as a wire. Then the strings take it up and it becomes wide. For a moment sixty people do nothing but agree.
---
If you fold a sheet of paper in half it is twice as thick. Fold it again and it is four times as thick. After seven folds it becomes difficult and after ten it is a piece of wood. But let us suppose that you could go on. After twenty-five folds the paper would be as high as a mountain, after forty-two it would reach the moon, and after fifty you would have to be careful not to burn your fingers on the sun. People laugh when they hear it and take out a sheet of paper. It is worth trying once. Nothing else teaches you so quickly what doubling means.
`;
